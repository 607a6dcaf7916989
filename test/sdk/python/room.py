"""A room with a person who hears and sees, and with an agent."""

from __future__ import annotations

import array
import asyncio
import contextlib
import math
import os
import time
import uuid
from collections.abc import AsyncIterator

import aiohttp

from livekit import api, rtc

RATE = 24_000
FRAME = RATE // 50
LOUD = 300


def tone(seconds: float) -> list[rtc.AudioFrame]:
    """Frames of 20 ms."""
    frames = []
    for at in range(0, round(seconds * RATE), FRAME):
        samples = array.array(
            "h",
            (round(9000 * math.sin(2 * math.pi * 220 * n / RATE)) for n in range(at, at + FRAME)),
        )
        frames.append(rtc.AudioFrame(samples.tobytes(), RATE, 1, FRAME))
    return frames


async def speech(seconds: float) -> AsyncIterator[rtc.AudioFrame]:
    for frame in tone(seconds):
        yield frame


def token(identity: str, room: str, *, kind: str = "standard") -> str:
    return (
        api.AccessToken(os.environ["LIVEKIT_API_KEY"], os.environ["LIVEKIT_API_SECRET"])
        .with_identity(identity)
        .with_kind(kind)
        .with_grants(api.VideoGrants(room_join=True, room=room))
        .to_jwt()
    )


async def call(method: str, path: str, body: object = None) -> dict:
    """Calls the service with the account's secret."""
    url, headers = (
        os.environ["AVATAR_API_URL"] + path,
        {"api-secret": os.environ["AVATAR_API_SECRET"]},
    )
    async with aiohttp.request(method, url, json=body, headers=headers) as answer:
        return await answer.json()


class Person:
    """Hears and sees what is published by others."""

    def __init__(self) -> None:
        self.room = rtc.Room()
        self.loud_at: list[float] = []
        self.frames = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.room.on("track_subscribed", self._on_track)

    def loud_since(self, since: float) -> float:
        """Seconds of sound."""
        return sum(0.01 for at in self.loud_at if at >= since)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.room.disconnect()

    async def sees_face(self) -> None:
        """Looks away then: a face that is not watched costs less."""
        await until(lambda: self.frames > 5, "face")
        for participant in self.room.remote_participants.values():
            for publication in participant.track_publications.values():
                if publication.kind == rtc.TrackKind.KIND_VIDEO:
                    publication.set_subscribed(False)

    def hears_nothing(self) -> bool:
        """Whether there was silence for a second."""
        return time.monotonic() - self.loud_at[-1] > 1

    def _on_track(
        self, track: rtc.Track, publication: rtc.RemoteTrackPublication, _: rtc.RemoteParticipant
    ) -> None:
        listens = track.kind == rtc.TrackKind.KIND_AUDIO
        task = asyncio.create_task(self._listen(track) if listens else self._watch(track))
        self._tasks.add(task)

    async def _listen(self, track: rtc.Track) -> None:
        async for event in rtc.AudioStream(
            track, sample_rate=48_000, num_channels=1, frame_size_ms=10
        ):
            if max(event.frame.data) > LOUD:
                self.loud_at.append(time.monotonic())

    async def _watch(self, track: rtc.Track) -> None:
        async for _ in rtc.VideoStream(track):
            self.frames += 1


class Scene:
    def __init__(self, name: str, person: Person, agent_room: rtc.Room) -> None:
        self.name = name
        self.person = person
        self.room = agent_room


@contextlib.asynccontextmanager
async def person_in(name: str | None = None) -> AsyncIterator[tuple[Person, str]]:
    """A person in a room, and its name."""
    name = name or f"py-{uuid.uuid4().hex[:8]}"
    person = Person()
    await person.room.connect(os.environ["LIVEKIT_URL"], token("person", name))
    try:
        yield person, name
    finally:
        await person.close()


@contextlib.asynccontextmanager
async def scene(name: str | None = None) -> AsyncIterator[Scene]:
    """A person and an agent in a room."""
    async with person_in(name) as (person, name):
        agent_room = rtc.Room()
        await agent_room.connect(os.environ["LIVEKIT_URL"], token("agent", name, kind="agent"))
        try:
            yield Scene(name, person, agent_room)
        finally:
            await agent_room.disconnect()


async def until(condition, what: str, timeout: float = 60.0) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"no {what} within {timeout} s"
        await asyncio.sleep(0.02)
