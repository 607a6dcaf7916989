"""A voice agent with a face. The service hears, answers and speaks; LiveKit Agents leads the conversation."""

import os

from livekit.agents import Agent, AgentServer, AgentSession, JobContext, cli
from livekit.plugins import openai, openavatar

SERVICE = os.getenv("AVATAR_API_URL", "http://127.0.0.1:8080")
server = AgentServer()


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    session = AgentSession(
        llm=openai.realtime.RealtimeModel(
            base_url=f"{SERVICE}/v1",
            api_key=os.environ["AVATAR_API_SECRET"],
            model="service-realtime",
            voice="marin",
        )
    )
    avatar = openavatar.AvatarSession(agent_id=os.getenv("AVATAR_AGENT", ""))
    await avatar.start(session, room=ctx.room)
    await session.start(Agent(instructions="You are Maya, a guide. Be brief."), room=ctx.room)
    session.generate_reply(instructions="Greet the visitor in one sentence.")


if __name__ == "__main__":
    cli.run_app(server)
