"""The agent of the benchmark in Python: commands on standard input, answers on standard output."""

import asyncio
import gc
import json
import sys
import time
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from livekit import rtc
from livekit.agents import Agent, AgentSession
from livekit.plugins import openavatar

RATE_HZ = 16_000
FRAME_BYTES = 2 * RATE_HZ // 10
# Metrics of a turn come with its message, which may be added after the turn's end.
METRICS_WAIT_S = 0.1


class BenchAgent:
    def __init__(self) -> None:
        self.room: rtc.Room | None = None
        self.session: AgentSession | None = None
        self.avatar: openavatar.AvatarSession | None = None
        self.collected: list[Any] = []
        self.finished: list[dict[str, Any]] = []

    async def start(
        self, url: str, token: str, agentId: str | None = None, avatarIdentity: str = ""
    ) -> dict[str, Any]:
        self.collected = []
        self.room = rtc.Room()
        await self.room.connect(url, token)
        self.session = AgentSession()
        start_ms = 0.0
        if agentId is not None:
            self.avatar = openavatar.AvatarSession(
                agent_id=agentId, avatar_participant_identity=avatarIdentity
            )
            self.avatar.on("metrics_collected", lambda each: self.collected.append(each))
            at = time.perf_counter()
            await self.avatar.start(self.session, self.room)
            start_ms = (time.perf_counter() - at) * 1000
            self.session.output.audio.on("playback_finished", self._on_finished)
        await self.session.start(Agent(instructions="You read out."), room=self.room, record=False)
        return {"startMs": start_ms}

    async def join(self) -> dict[str, Any]:
        await self.avatar.wait_for_join()
        joined = next(each for each in self.collected if each.avatar_joined_time)
        return {"joinMs": (joined.avatar_joined_time - joined.session_started_time) * 1000}

    async def say(self, text: str, file: str) -> dict[str, Any]:
        self.finished = []
        self.collected = []
        said = self.session.say(text, audio=frames(Path(file).read_bytes()))
        await said.wait_for_playout()
        await asyncio.sleep(METRICS_WAIT_S)
        latencies = [
            each.playback_latency * 1000 for each in self.collected if each.playback_latency
        ]
        return {
            "wasInterrupted": said.interrupted,
            "playbackLatencyMs": latencies[0] if latencies else None,
            "finished": self.finished,
        }

    async def interrupt(self) -> dict[str, Any]:
        await self.session.interrupt()
        return {}

    async def close(self) -> dict[str, Any]:
        if self.avatar is not None:
            await self.avatar.aclose()
        await self.session.aclose()
        await self.room.disconnect()
        self.avatar = self.session = self.room = None
        return {}

    async def collect(self) -> dict[str, Any]:
        gc.collect()
        return {}

    def _on_finished(self, event: Any) -> None:
        self.finished.append(
            {"interrupted": event.interrupted, "positionS": event.playback_position}
        )


async def frames(samples: bytes) -> AsyncIterator[rtc.AudioFrame]:
    for at in range(0, len(samples), FRAME_BYTES):
        piece = samples[at : at + FRAME_BYTES]
        yield rtc.AudioFrame(piece, RATE_HZ, 1, len(piece) // 2)


async def answer(agent: BenchAgent, request: dict[str, Any]) -> None:
    number = request.pop("id")
    try:
        result = await getattr(agent, request.pop("command"))(**request)
        reply = {"id": number, "result": result}
    except Exception:
        reply = {"id": number, "error": traceback.format_exc()}
    print(json.dumps(reply), flush=True)


async def main() -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    agent = BenchAgent()
    running: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(answer(agent, json.loads(line)))
        running.add(task)
        task.add_done_callback(running.discard)


asyncio.run(main())
