"""A Pipecat bot with a face."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from typing import Any

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    ErrorFrame,
    Frame,
    InterruptionFrame,
    OutputAudioRawFrame,
    TTSSpeakFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.workers.runner import WorkerRunner

from livekit.agents import APIConnectOptions
from livekit.plugins.openavatar.pipecat import AvatarOutput
from room import Person, person_in, until

AGENT_ID = os.environ["AVATAR_AGENT_ID"]
LONG = "I count. One, two, three, four, five, six, seven, eight, nine, ten, eleven, and twelve."


class Notes(FrameProcessor):
    """What passes at its place in the pipeline."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: list[Frame] = []

    def count(self, kind: type[Frame]) -> int:
        return sum(isinstance(frame, kind) for frame in self.frames)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self.frames.append(frame)
        await self.push_frame(frame, direction)


class Bot:
    def __init__(self, person: Person, worker: PipelineWorker, before: Notes, after: Notes) -> None:
        self.person = person
        self.worker = worker
        self.before = before
        self.after = after


@contextlib.asynccontextmanager
async def bot(**options: Any) -> AsyncIterator[Bot]:
    async with person_in() as (person, room_name):
        voice = OpenAITTSService(
            base_url=os.environ["AVATAR_API_URL"] + "/v1", api_key=os.environ["AVATAR_API_SECRET"]
        )
        avatar = AvatarOutput(room_name=room_name, **{"agent_id": AGENT_ID, **options})
        before, after = Notes(), Notes()
        worker = PipelineWorker(Pipeline([before, voice, avatar, after]))
        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(worker)
        running = asyncio.create_task(runner.run())
        try:
            yield Bot(person, worker, before, after)
            await asyncio.wait_for(running, 20)
            await until(lambda: not person.room.remote_participants, "leaving")
        finally:
            await worker.cancel()
            await running


async def check_pipecat() -> None:
    async with bot() as it:
        await it.person.sees_face()
        await it.worker.queue_frame(TTSSpeakFrame("Good morning to you."))
        await until(lambda: it.before.count(BotStoppedSpeakingFrame) == 1, "end of the speech")
        assert it.person.loud_since(0) > 0.3, it.person.loud_since(0)
        for notes in (it.before, it.after):
            assert notes.count(BotStartedSpeakingFrame) == 1
        assert it.after.count(OutputAudioRawFrame) == 0, "the transport would speak, too"

        begun = time.monotonic()
        await it.worker.queue_frame(TTSSpeakFrame(LONG))
        await until(lambda: it.person.loud_since(begun) > 0.5, "sound")
        await it.worker.queue_frame(InterruptionFrame())
        await until(lambda: it.before.count(BotStoppedSpeakingFrame) == 2, "end", 5)
        await until(it.person.hears_nothing, "silence")
        assert it.person.loud_since(begun) < 4, "it spoke on"

        begun = time.monotonic()
        await it.worker.queue_frame(TTSSpeakFrame("Goodbye."))
        # Not before it has been said.
        await it.worker.stop_when_done()
        await until(lambda: it.person.loud_since(begun) > 0.2, "the last word")
    assert it.before.count(BotStoppedSpeakingFrame) == 3


async def check_pipecat_without_a_service() -> None:
    async with bot(api_url="http://127.0.0.1:9", conn_options=APIConnectOptions(max_retry=0)) as it:
        await until(lambda: it.before.count(ErrorFrame) > 0, "error")
        [error] = [frame for frame in it.before.frames if isinstance(frame, ErrorFrame)]
        assert error.fatal and "cannot be reached" in error.error, error
