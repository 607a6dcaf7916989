"""A face for a Pipecat bot that talks with people in a LiveKit room."""

from __future__ import annotations

import asyncio
import time

from pipecat.frames.frames import (
    BotSpeakingFrame,
    BotStartedSpeakingFrame,
    BotStoppedSpeakingFrame,
    CancelFrame,
    EndFrame,
    Frame,
    InterruptionFrame,
    OutputAudioRawFrame,
    StartFrame,
    TTSStoppedFrame,
)
from pipecat.processors.frame_processor import (
    FrameDirection,
    FrameProcessor,
    FrameProcessorSetup,
)

from livekit import api, rtc
from livekit.agents import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)
from livekit.agents.voice.io import PlaybackFinishedEvent, PlaybackStartedEvent

from .errors import AvatarException
from .face import Manner
from .launch import AvatarLaunch, IgnoredTracks, find_place, find_server
from .log import logger
from .output import AvatarAudioOutput

DEFAULT_VOICE_IDENTITY = "bot-voice"
# Silence between two sentences of an answer; as long as Pipecat's own transports wait.
STOP_DELAY_S = 0.35
SPEAKING_INTERVAL_S = 0.2


class AvatarOutput(FrameProcessor):
    """Sends a bot's speech through an avatar.

    Put it after the speech service, and switch the audio of the transport's output off
    (``LiveKitParams(audio_out_enabled=False)``). It joins the room beside the transport, brings the
    avatar, and takes the audio out of the pipeline. Interruptions silence the avatar, and the bot
    counts as speaking while it is heard.
    """

    def __init__(
        self,
        *,
        room_name: str,
        agent_id: NotGivenOr[str] = NOT_GIVEN,
        model: NotGivenOr[str] = NOT_GIVEN,
        image: NotGivenOr[str | bytes] = NOT_GIVEN,
        emotion: NotGivenOr[str] = NOT_GIVEN,
        manner: NotGivenOr[Manner] = NOT_GIVEN,
        listen: NotGivenOr[bool] = NOT_GIVEN,
        api_url: NotGivenOr[str] = NOT_GIVEN,
        api_secret: NotGivenOr[str] = NOT_GIVEN,
        livekit_url: NotGivenOr[str] = NOT_GIVEN,
        livekit_api_key: NotGivenOr[str] = NOT_GIVEN,
        livekit_api_secret: NotGivenOr[str] = NOT_GIVEN,
        voice_identity: str = DEFAULT_VOICE_IDENTITY,
        avatar_participant_identity: NotGivenOr[str] = NOT_GIVEN,
        avatar_participant_name: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> None:
        """
        Args:
            room_name: The room of the people.
            agent_id: As of ``AvatarSession``, like the arguments not named here.
            livekit_url: Default: ``LIVEKIT_URL``. The avatar service must reach it, too.
            livekit_api_key: Default: ``LIVEKIT_API_KEY``.
            livekit_api_secret: Default: ``LIVEKIT_API_SECRET``.
            voice_identity: Identity of this processor in the room, where it publishes nothing.

        Raises:
            AvatarException: An argument is missing or cannot be right.
        """
        super().__init__()
        self._server = find_server(livekit_url, livekit_api_key, livekit_api_secret)
        self._launch = AvatarLaunch(
            agent_id=agent_id,
            model=model,
            image=image,
            emotion=emotion,
            manner=manner,
            listen=listen,
            api_url=api_url,
            api_secret=api_secret,
            avatar_participant_identity=avatar_participant_identity,
            avatar_participant_name=avatar_participant_name,
            conn_options=conn_options,
        )
        self._room_name = room_name
        self._voice_identity = voice_identity
        self._room = rtc.Room()
        self._output: AvatarAudioOutput | None = None
        self._ignored_tracks: IgnoredTracks | None = None
        self._failure: Exception | None = None
        self._is_heard = False
        self._is_cut = False
        self._audible_until = 0.0
        self._speaking_task: asyncio.Task[None] | None = None

    async def setup(self, setup: FrameProcessorSetup) -> None:  # type: ignore[override]
        await super().setup(setup)
        try:
            await self._open()
        except (AvatarException, rtc.ConnectError) as error:
            # The pipeline is told when it runs.
            self._failure = error

    async def cleanup(self) -> None:
        await self._close()
        await super().cleanup()  # type: ignore[no-untyped-call]

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, OutputAudioRawFrame) and direction == FrameDirection.DOWNSTREAM:
            await self._send(frame)
            return
        if isinstance(frame, TTSStoppedFrame) and self._output is not None:
            self._output.flush()
        elif isinstance(frame, InterruptionFrame) and self._output is not None:
            self._output.flush()
            self._output.clear_buffer()
            self._audible_until = 0.0
        elif isinstance(frame, EndFrame) and self._output is not None:
            self._output.flush()
            await self._output.wait_for_playout()
            await self._close()
        elif isinstance(frame, CancelFrame):
            await self._close()
        await self.push_frame(frame, direction)
        if isinstance(frame, StartFrame) and self._failure is not None:
            await self.push_error(f"no avatar: {self._failure}", self._failure, fatal=True)

    async def _open(self) -> None:
        token = (
            api.AccessToken(self._server.api_key, self._server.api_secret)
            .with_kind("agent")
            .with_identity(self._voice_identity)
            .with_grants(api.VideoGrants(room_join=True, room=self._room_name, can_publish=False))
            .to_jwt()
        )
        options = rtc.RoomOptions(auto_subscribe=False)
        await self._room.connect(self._server.url, token, options)
        self._ignored_tracks = IgnoredTracks(self._room, self._launch.identity)
        try:
            await self._launch.start(find_place(self._server, self._room))
        except BaseException:
            await self._close()
            raise
        self._output = AvatarAudioOutput(self._room, destination_identity=self._launch.identity)
        self._output.on("playback_started", self._on_started)
        self._output.on("playback_finished", self._on_finished)

    async def _close(self) -> None:
        output, self._output = self._output, None
        if output is not None:
            await output.aclose()
        await self._launch.end()
        if self._ignored_tracks is not None:
            self._ignored_tracks.close()
            self._ignored_tracks = None
        await self._room.disconnect()
        if self._speaking_task is not None:
            await self._speaking_task

    async def _send(self, frame: OutputAudioRawFrame) -> None:
        if self._output is None:
            return
        samples = len(frame.audio) // (2 * frame.num_channels)
        await self._output.capture_frame(
            rtc.AudioFrame(frame.audio, frame.sample_rate, frame.num_channels, samples)
        )
        begin = max(self._audible_until, time.monotonic())
        self._audible_until = begin + samples / frame.sample_rate

    def _on_started(self, _: PlaybackStartedEvent) -> None:
        self._is_heard = True
        self._is_cut = False
        if self._speaking_task is None or self._speaking_task.done():
            self._speaking_task = self.create_task(self._speak())

    def _on_finished(self, event: PlaybackFinishedEvent) -> None:
        logger.debug("played %.2f s, interrupted: %s", event.playback_position, event.interrupted)
        self._is_heard = self._output is not None and self._output._pending_playback_count > 0
        self._is_cut = event.interrupted

    async def _speak(self) -> None:
        """From the first sound of an answer to its end, with the silence between its sentences."""
        await self.broadcast_frame(BotStartedSpeakingFrame)
        silent = 0.0
        while silent < STOP_DELAY_S and not self._is_cut:
            await self.broadcast_frame(BotSpeakingFrame)
            await asyncio.sleep(SPEAKING_INTERVAL_S)
            if self._output is not None and time.monotonic() > self._audible_until:
                # A voice can say seconds later that it has ended; the bot is silent now.
                self._output.flush()
            silent = 0.0 if self._is_heard else silent + SPEAKING_INTERVAL_S
        await self.broadcast_frame(BotStoppedSpeakingFrame)
