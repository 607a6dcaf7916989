from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from livekit import rtc
from livekit.agents.utils import aio
from livekit.agents.voice.avatar import DataStreamAudioOutput
from livekit.agents.voice.avatar._datastream_io import RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED
from livekit.agents.voice.io import _CaptureCancelledEvent

from .log import logger

RpcHandler = Callable[[rtc.RpcInvocationData], str]

# An avatar joins within two seconds, and later on a busy machine.
JOIN_LIMIT_S = 20.0
# A process that dies is replaced within seconds, and its successor reports what it left open.
GONE_LIMIT_S = 6.0
# What an avatar may be behind the audio that it was given.
OVERDUE_LIMIT_S = 10.0
CHECK_INTERVAL_S = 0.25


class AvatarAudioOutput(DataStreamAudioOutput):
    """The framework's output to an avatar, without the ways in which it waits for ever or errs.

    - A turn ends although the avatar is gone, and reports that come after that end no other turn.
    - Speech for an avatar that does not join is dropped, and one that left before it published its
      video is waited for again.
    - A turn that is interrupted before the avatar has joined ends.
    - Avatars of one name in several rooms of one process report to the agent of their own room.
    """

    def __init__(self, room: rtc.Room, *, destination_identity: str) -> None:
        super().__init__(
            room,
            destination_identity=destination_identity,
            # The avatar takes any rate, and plays the voice at its full quality.
            sample_rate=None,
            wait_remote_track=rtc.TrackKind.KIND_VIDEO,
            wait_playback_start=True,
        )
        self._join_deadline: float | None = None
        self._is_dropping = False
        self._watch_atask: asyncio.Task[None] | None = None
        self._pending_duration = 0.0
        self._last_sign = 0.0
        self._playback_started_at: float | None = None
        self._owed_reports = 0

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        if self._is_dropping or not await self._joined():
            self._is_dropping = True
            await super(DataStreamAudioOutput, self).capture_frame(frame)
            return
        await super().capture_frame(frame)
        self._last_sign = time.monotonic()
        if self._watch_atask is None or self._watch_atask.done():
            self._pending_duration = 0.0
            self._watch_atask = asyncio.create_task(self._watch())
        self._pending_duration += frame.duration

    def flush(self) -> None:
        super().flush()
        if self._is_dropping:
            self._is_dropping = False
            self._end_pending()

    def on_playback_started(self, *, created_at: float) -> None:
        self._last_sign = self._playback_started_at = time.monotonic()
        super().on_playback_started(created_at=created_at)

    def on_playback_finished(
        self,
        *,
        playback_position: float,
        interrupted: bool,
        synchronized_transcript: str | None = None,
    ) -> None:
        self._last_sign = time.monotonic()
        self._playback_started_at = None
        super().on_playback_finished(
            playback_position=playback_position,
            interrupted=interrupted,
            synchronized_transcript=synchronized_transcript,
        )

    async def aclose(self) -> None:
        """Ends what still plays, and leaves the room's events."""
        self._room.off("connection_state_changed", self._handle_connection_state_changed)
        if self._watch_atask is not None:
            await aio.cancel_and_wait(self._watch_atask)
        if self._start_atask is not None:
            await aio.cancel_and_wait(self._start_atask)
        self._end_pending()
        for method in (RPC_PLAYBACK_STARTED, RPC_PLAYBACK_FINISHED):
            _unregister(self._room, method, self._destination_identity)

    async def _joined(self) -> bool:
        """Waits for the avatar; for one that has not joined within the limit, no longer."""
        if self._started:
            return True
        if self._join_deadline is None:
            self._join_deadline = time.monotonic() + JOIN_LIMIT_S
        while not self._started:
            if self._start_atask is None or self._start_atask.done():
                self._start_atask = asyncio.create_task(self._start_task())
            timeout = max(self._join_deadline - time.monotonic(), 0.0)
            try:
                done, _ = await asyncio.wait({self._start_atask}, timeout=timeout)
            except asyncio.CancelledError:
                # Outputs in front of this one have counted the segment.
                event = _CaptureCancelledEvent(playback_position=0, interrupted=True)
                self._dispatch_playback_finished(event)
                raise
            if not done:
                logger.warning(
                    "speech dropped: the avatar has not joined the room",
                    extra={"identity": self._destination_identity},
                )
                return False
            if self._start_atask.exception() is not None:
                await asyncio.sleep(CHECK_INTERVAL_S)
        return True

    async def _watch(self) -> None:
        """Ends the segments that the avatar will not end any more."""
        seen_at = time.monotonic()
        while self._pending_playback_count > 0:
            await asyncio.sleep(CHECK_INTERVAL_S)
            now = time.monotonic()
            if self._is_avatar_here():
                seen_at = now
            is_gone = now - seen_at > GONE_LIMIT_S
            is_overdue = now - self._last_sign > self._pending_duration + OVERDUE_LIMIT_S
            if is_gone or is_overdue:
                logger.warning(
                    "the avatar %s before it reported the end of the speech",
                    "left the room" if is_gone else "fell silent",
                    extra={"identity": self._destination_identity},
                )
                self._owed_reports += self._pending_playback_count
                self._end_pending()

    def _is_avatar_here(self) -> bool:
        # While the agent itself reconnects, it sees no one.
        is_connected = self._room.connection_state == rtc.ConnectionState.CONN_CONNECTED
        return not is_connected or self._destination_identity in self._room.remote_participants

    def _handle_playback_started(self, data: rtc.RpcInvocationData) -> str:
        # Reports come in order.
        self._owed_reports = 0
        return super()._handle_playback_started(data)

    def _handle_playback_finished(self, data: rtc.RpcInvocationData) -> str:
        if self._owed_reports > 0:
            self._owed_reports -= 1
            return "ok"
        return super()._handle_playback_finished(data)

    def _end_pending(self) -> None:
        played = 0.0
        if self._playback_started_at is not None:
            played = min(time.monotonic() - self._playback_started_at, self._pushed_duration)
        for _ in range(self._pending_playback_count):
            self.on_playback_finished(playback_position=played, interrupted=True)
            played = 0.0

    @classmethod
    def _register_playback_finished_rpc(
        cls, room: rtc.Room, *, caller_identity: str, handler: RpcHandler
    ) -> None:
        _register(room, RPC_PLAYBACK_FINISHED, caller_identity, handler)

    @classmethod
    def _register_playback_started_rpc(
        cls, room: rtc.Room, *, caller_identity: str, handler: RpcHandler
    ) -> None:
        _register(room, RPC_PLAYBACK_STARTED, caller_identity, handler)


class _ByCaller:
    """Answers calls of one method in one room, each by the handler of its caller."""

    def __init__(self) -> None:
        self.handlers: dict[str, RpcHandler] = {}

    def __call__(self, data: rtc.RpcInvocationData) -> str:
        handler = self.handlers.get(data.caller_identity)
        return handler(data) if handler is not None else "reject"


def _register(room: rtc.Room, method: str, caller_identity: str, handler: RpcHandler) -> None:
    known = room.local_participant._rpc_handlers.get(method)
    if not isinstance(known, _ByCaller):
        known = _ByCaller()
        room.local_participant.register_rpc_method(method, known)
    known.handlers[caller_identity] = handler


def _unregister(room: rtc.Room, method: str, caller_identity: str) -> None:
    """LiveKit's client never frees a room in which a method is registered."""
    try:
        participant = room.local_participant
    except Exception:
        # It was never joined.
        return
    known = participant._rpc_handlers.get(method)
    if isinstance(known, _ByCaller):
        known.handlers.pop(caller_identity, None)
        if not known.handlers:
            participant.unregister_rpc_method(method)
