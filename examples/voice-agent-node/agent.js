// A voice agent with a face. The service hears, answers and speaks; LiveKit Agents leads the conversation.
import { fileURLToPath } from "node:url";
import { cli, defineAgent, ServerOptions, voice } from "@livekit/agents";
import * as openai from "@livekit/agents-plugin-openai";
import { AvatarSession } from "@open-avatar/livekit-agents";

const { AVATAR_API_URL = "http://127.0.0.1:8080", AVATAR_API_SECRET, AGENT_ID } = process.env;

export default defineAgent({
  async entry(ctx) {
    await ctx.connect();
    const session = new voice.AgentSession({
      llm: new openai.realtime.RealtimeModel({
        baseURL: `${AVATAR_API_URL}/v1`,
        apiKey: AVATAR_API_SECRET,
        model: "service-realtime",
        voice: "marin",
      }),
    });
    const avatar = new AvatarSession({ agentId: AGENT_ID });
    await avatar.start(session, ctx.room);
    await session.start({
      agent: new voice.Agent({ instructions: "You are Maya, a guide. Be brief." }),
      room: ctx.room,
    });
    session.generateReply({ instructions: "Greet the visitor in one sentence." });
  },
});

cli.runApp(new ServerOptions({ agent: fileURLToPath(import.meta.url) }));
