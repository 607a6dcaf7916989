"""An avatar session, from its start to its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator

import psutil

from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.agents.testing import fake_job_context
from livekit.agents.utils import http_context
from livekit.plugins import openavatar
from room import Scene, call, scene, speech, until

SECRET = os.environ["AVATAR_API_SECRET"]
AGENT_ID = os.environ["AVATAR_AGENT_ID"]


@contextlib.asynccontextmanager
async def talking(
    **options: str,
) -> AsyncIterator[tuple[Scene, AgentSession, openavatar.AvatarSession]]:
    """A voice agent with a face."""
    async with scene() as place, http_context.open():
        with fake_job_context(room=place.room):
            session: AgentSession = AgentSession()
            avatar = openavatar.AvatarSession(**{"agent_id": AGENT_ID, **options})
            await avatar.start(session, place.room)
            await session.start(Agent(instructions="Talk."), room=place.room)
            try:
                yield place, session, avatar
            finally:
                await avatar.aclose()
                # LiveKit's client never frees a room in which a method is registered.
                methods = place.room.local_participant._rpc_handlers
                assert not [name for name in methods if name.startswith("lk.playback_")]
                await session.aclose()


async def live_sessions() -> int:
    answer = await call("GET", f"/v1/agent/{AGENT_ID}/sessions")
    return len(answer["sessions"])


async def check_speaks_and_is_interrupted() -> None:
    async with talking() as (place, session, avatar):
        metrics: list = []
        avatar.on("metrics_collected", metrics.append)
        await avatar.wait_for_join()
        # The person hears of it after the agent.
        participants = place.person.room.remote_participants
        await until(lambda: avatar.avatar_identity in participants, "avatar in the person's room")
        seen = participants[avatar.avatar_identity]
        assert seen.kind == rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
        assert seen.attributes["lk.publish_on_behalf"] == "agent"
        assert seen.attributes["lk.avatar_provider"] == avatar.provider == "open-avatar"
        everyone = [
            *place.person.room.remote_participants.values(),
            place.person.room.local_participant,
        ]
        said = [
            text for who in everyone for text in (who.name, who.metadata, *who.attributes.values())
        ]
        assert not any(SECRET in text for text in said), "the secret is in the room"

        output = session.output.audio
        finished: list = []
        output.on("playback_finished", finished.append)
        await place.person.sees_face()
        begun = time.monotonic()
        await session.say("A tone of two seconds.", audio=speech(2.0))
        assert 1.2 < place.person.loud_since(begun) < 2.6, place.person.loud_since(begun)
        assert [event.interrupted for event in finished] == [False]
        assert 1.95 < finished[0].playback_position < 2.1, finished[0]
        latencies = [item.playback_latency for item in metrics if item.playback_latency]
        joined = [item for item in metrics if item.avatar_joined_time]
        assert len(latencies) == 1 and latencies[0] > 0, latencies
        assert len(joined) == 1, joined

        mine = place.room.remote_participants[avatar.avatar_identity].track_publications.values()
        assert len(mine) == 2 and not any(publication.subscribed for publication in mine)

        handle = session.say("A tone of ten seconds.", audio=speech(10.0))
        begun = time.monotonic()
        await until(lambda: place.person.loud_since(begun) > 0.5, "sound")
        handle.interrupt()
        await handle
        await until(place.person.hears_nothing, "silence")
        assert place.person.loud_since(begun) < 6, "it spoke on"
        assert [event.interrupted for event in finished] == [False, True], finished
        assert 0.3 < finished[1].playback_position < 6, finished[1]
        begun = time.monotonic()
        await session.say("And the next one.", audio=speech(1.0))
        assert place.person.loud_since(begun) > 0.5
        assert [event.interrupted for event in finished] == [False, True, False], finished


async def check_interrupted_before_it_has_joined() -> None:
    async with talking() as (place, session, _):
        handle = session.say("Never heard.", audio=speech(3.0))
        await asyncio.sleep(0.05)
        handle.interrupt()
        await asyncio.wait_for(handle, 20)
        await place.person.sees_face()
        assert not place.person.loud_at
        await asyncio.wait_for(session.say("Heard.", audio=speech(1.0)), 40)
        assert 0.5 < place.person.loud_since(0) < 1.6, place.person.loud_since(0)


async def check_process_killed_mid_sentence() -> None:
    async with talking() as (place, session, avatar):
        await place.person.sees_face()
        handle = session.say("A tone of ten seconds.", audio=speech(10.0))
        await until(lambda: place.person.loud_at, "sound")
        worker = psutil.Process(int(os.environ["WORKER_PID"]))
        processes = [child for child in worker.children() if "session.mjs" in child.cmdline()[-1]]
        assert processes, [child.cmdline() for child in worker.children()]
        # One of them is this session's, the others are ready for the next.
        max(processes, key=lambda process: process.cpu_times().user).kill()
        await asyncio.wait_for(handle, 40)
        begun = time.monotonic()
        await asyncio.wait_for(session.say("The next.", audio=speech(1.0)), 40)
        assert place.person.loud_since(begun) > 0.5, place.person.loud_since(begun)


async def check_closes() -> None:
    await closes("py-closes", agent_id=AGENT_ID)


async def check_closes_with_a_scoped_token() -> None:
    """Which cannot end a session."""
    name = "py-scoped"
    scope = {"scope": "livekit-cloud", "room_name": name, "livekit_url": os.environ["LIVEKIT_URL"]}
    minted = await call("POST", "/v1/runtime-tokens/mint", {"agent_code": AGENT_ID, **scope})
    await closes(name, api_secret=minted["scoped_token"])


async def closes(name: str, **options: str) -> None:
    async with scene(name) as place, http_context.open():
        session: AgentSession = AgentSession()
        avatar = openavatar.AvatarSession(**options)
        await avatar.start(session, place.room)
        assert await live_sessions() == 1
        # Before it has joined: then it is removed when it comes.
        await avatar.aclose()
        await avatar.aclose()
        for _ in range(600):
            if await live_sessions() == 0:
                break
            await asyncio.sleep(0.1)
        assert await live_sessions() == 0
        await until(
            lambda: not place.room.remote_participants.get(avatar.avatar_identity), "leaving"
        )
