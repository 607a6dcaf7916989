"""The output to an avatar, with an avatar that misbehaves."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator
from typing import Any

from livekit import rtc
from livekit.agents.voice.io import PlaybackFinishedEvent
from livekit.plugins.openavatar import output
from room import Scene, scene, token, tone, until

AVATAR = "service-avatar-agent"


class Avatar:
    """A participant that publishes a video track and reports what it is told to."""

    def __init__(self, room_name: str) -> None:
        self.room = rtc.Room()
        self._room_name = room_name
        self._tracks: list[rtc.LocalVideoTrack] = []

    async def join(self) -> None:
        await self.room.connect(os.environ["LIVEKIT_URL"], token(AVATAR, self._room_name))
        track = rtc.LocalVideoTrack.create_video_track("face", rtc.VideoSource(64, 64))
        self._tracks.append(track)
        await self.room.local_participant.publish_track(track)

    async def leave(self) -> None:
        await self.room.disconnect()

    async def report(self, method: str, **payload: Any) -> None:
        text = json.dumps(payload) if payload else ""
        await self.room.local_participant.perform_rpc(
            destination_identity="agent", method=f"lk.playback_{method}", payload=text
        )


class Heard:
    """What an output tells of its segments."""

    def __init__(self, audio: output.AvatarAudioOutput) -> None:
        self.finished: list[PlaybackFinishedEvent] = []
        audio.on("playback_finished", self.finished.append)


@contextlib.asynccontextmanager
async def output_in(place: Scene) -> AsyncIterator[tuple[output.AvatarAudioOutput, Heard]]:
    audio = output.AvatarAudioOutput(place.room, destination_identity=AVATAR)
    try:
        yield audio, Heard(audio)
    finally:
        await audio.aclose()


async def speak(audio: output.AvatarAudioOutput, seconds: float = 1.0) -> None:
    for frame in tone(seconds):
        await audio.capture_frame(frame)
    audio.flush()


@contextlib.contextmanager
def limits(**seconds: float):  # type: ignore[no-untyped-def]
    before = {name: getattr(output, name) for name in seconds}
    vars(output).update(seconds)
    try:
        yield
    finally:
        vars(output).update(before)


async def check_avatar_that_never_joins() -> None:
    with limits(JOIN_LIMIT_S=0.2):
        async with scene() as place, output_in(place) as (audio, heard):
            for turn in (1, 2):
                await speak(audio)
                await asyncio.wait_for(audio.wait_for_playout(), 5)
                assert [event.interrupted for event in heard.finished] == [True] * turn


async def check_turn_given_up_before_the_avatar_joins() -> None:
    async with scene() as place, output_in(place) as (audio, heard):
        turn = asyncio.create_task(speak(audio))
        await asyncio.sleep(0.05)
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        assert [event.interrupted for event in heard.finished] == [True]


async def check_avatar_that_leaves_and_comes_back() -> None:
    with limits(GONE_LIMIT_S=0.3):
        async with scene() as place, output_in(place) as (audio, heard):
            avatar = Avatar(place.name)
            await avatar.join()
            await speak(audio, 5.0)
            await avatar.report("started")
            await avatar.leave()
            await asyncio.wait_for(audio.wait_for_playout(), 40)
            assert [event.interrupted for event in heard.finished] == [True]
            assert heard.finished[0].playback_position < 5, heard.finished

            avatar = Avatar(place.name)
            await avatar.join()
            await until(lambda: AVATAR in place.room.remote_participants, "avatar")
            await speak(audio)
            # What was left open is reported late, and is not the end of this turn.
            await avatar.report("finished", playback_position=0.5, interrupted=True)
            assert len(heard.finished) == 1
            await avatar.report("started")
            await avatar.report("finished", playback_position=1.0, interrupted=False)
            assert [event.interrupted for event in heard.finished] == [True, False]
            await avatar.leave()


async def check_avatar_that_falls_silent() -> None:
    with limits(OVERDUE_LIMIT_S=0.2):
        async with scene() as place, output_in(place) as (audio, heard):
            avatar = Avatar(place.name)
            await avatar.join()
            begun = time.monotonic()
            await speak(audio)
            await asyncio.wait_for(audio.wait_for_playout(), 5)
            assert time.monotonic() - begun > 1, "it has time to say it"
            assert [event.interrupted for event in heard.finished] == [True]
            await avatar.leave()


async def check_avatars_of_one_name_in_two_rooms() -> None:
    async with scene() as one, scene() as two:
        async with output_in(one) as (first, heard_first), output_in(two) as (second, heard_second):
            avatars = Avatar(one.name), Avatar(two.name)
            for avatar, audio in zip(avatars, (first, second), strict=True):
                await avatar.join()
                await speak(audio)
            await avatars[0].report("finished", playback_position=1.0, interrupted=False)
            assert (len(heard_first.finished), len(heard_second.finished)) == (1, 0)
            for avatar in avatars:
                await avatar.leave()
