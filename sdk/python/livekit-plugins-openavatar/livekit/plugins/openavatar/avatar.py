from __future__ import annotations

import asyncio
from typing import Any

from livekit import rtc
from livekit.agents import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    AgentSession,
    APIConnectOptions,
    NotGivenOr,
)
from livekit.agents.voice.avatar import AvatarSession as BaseAvatarSession

from .errors import AvatarException
from .face import Manner
from .launch import PROVIDER, AvatarLaunch, IgnoredTracks, find_place, find_server
from .log import logger
from .output import AvatarAudioOutput


class AvatarSession(BaseAvatarSession):
    """A face for a voice agent.

    The agent keeps its own speech recognition, language model and voice. What it says goes to the
    avatar service, which speaks it in the room, with a lip-synced face.
    """

    def __init__(
        self,
        *,
        agent_id: NotGivenOr[str] = NOT_GIVEN,
        model: NotGivenOr[str] = NOT_GIVEN,
        image: NotGivenOr[str | bytes] = NOT_GIVEN,
        emotion: NotGivenOr[str] = NOT_GIVEN,
        manner: NotGivenOr[Manner] = NOT_GIVEN,
        listen: NotGivenOr[bool] = NOT_GIVEN,
        api_url: NotGivenOr[str] = NOT_GIVEN,
        api_secret: NotGivenOr[str] = NOT_GIVEN,
        avatar_participant_identity: NotGivenOr[str] = NOT_GIVEN,
        avatar_participant_name: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> None:
        """
        Args:
            agent_id: Code of the avatar. Without it and without ``image``: a sample avatar.
            model: Name of a model that the avatar has. Default: the avatar's own.
            image: A face, instead of the avatar's: the bytes of a JPEG or PNG file, or its URL,
                data URI or base64. Needs an API secret; a scoped token is bound to an avatar.
            emotion: What the face shows while nothing else sets it: ``happy``, or with an intensity
                ``happy:0.6``; one of neutral, happy, sad, angry, surprised, afraid, disgusted and
                content. Default: the avatar's own.
            manner: How lively the face is by itself: ``still``, ``natural`` or ``animated``.
                Default: the avatar's own.
            listen: False: the face does not react to what users say. Else the avatar reads the
                loudest user's microphone, which is neither stored nor sent.
            api_url: Address of the avatar service. Default: ``AVATAR_API_URL``, else
                ``http://127.0.0.1:8080``.
            api_secret: API secret, or a scoped token. Default: ``AVATAR_API_SECRET``. It stays in
                this process.
            avatar_participant_identity: Identity of the avatar in the room.
            avatar_participant_name: Name of the avatar in the room.
            conn_options: Retries and timeout of calls to the service. ``AVATAR_API_TIMEOUT``
                (seconds) replaces its timeout.

        Raises:
            AvatarException: An argument is missing or cannot be right.
        """
        super().__init__()
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
        self._is_started = False
        self._ignored_tracks: IgnoredTracks | None = None
        self._audio_output: AvatarAudioOutput | None = None
        self._close_atask: asyncio.Task[None] | None = None

    @property
    def avatar_identity(self) -> str:
        return self._launch.identity

    @property
    def provider(self) -> str:
        return PROVIDER

    async def start(
        self,
        agent_session: AgentSession,
        room: rtc.Room,
        *,
        livekit_url: NotGivenOr[str] = NOT_GIVEN,
        livekit_api_key: NotGivenOr[str] = NOT_GIVEN,
        livekit_api_secret: NotGivenOr[str] = NOT_GIVEN,
    ) -> None:
        """Starts the avatar, and makes it the voice of the session.

        Call it before ``session.start``. It returns when the service has accepted the avatar,
        which joins the room meanwhile; ``wait_for_join`` waits for that. Speech waits by itself.

        Args:
            agent_session: What this session says, the avatar speaks.
            room: Its room. Outside a job, it must be connected.
            livekit_url: Default: ``LIVEKIT_URL``. The avatar service must reach it, too.
            livekit_api_key: Default: ``LIVEKIT_API_KEY``.
            livekit_api_secret: Default: ``LIVEKIT_API_SECRET``.

        Raises:
            AvatarException: The avatar was not started. Nothing is left of it, and it may be
                started again.
        """
        if self._is_started:
            raise AvatarException(
                "This avatar is started already. Make an AvatarSession for each AgentSession.",
                code="BAD_STATE",
            )
        place = find_place(find_server(livekit_url, livekit_api_key, livekit_api_secret), room)
        self._is_started = True
        self._close_atask = None
        try:
            await super().start(agent_session, room)
            agent_session.on("close", self._on_session_close)
            self._ignored_tracks = IgnoredTracks(room, self.avatar_identity)
            await self._launch.start(place)
            if agent_session.output.audio is not None:
                logger.warning("the agent session has an audio output already; it is replaced")
            self._audio_output = AvatarAudioOutput(room, destination_identity=self.avatar_identity)
            agent_session.output.replace_audio_tail(self._audio_output)
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Ends the avatar's session, which frees its slot, and leaves the agent's events.

        Called by itself when the agent session closes, and when the job shuts down.
        """
        if not self._is_started:
            return
        if self._close_atask is None:
            self._close_atask = asyncio.create_task(self._close())
        # It goes on where the caller gives up.
        await asyncio.shield(self._close_atask)

    async def _close(self) -> None:
        if self._agent_session is not None:
            self._agent_session.off("close", self._on_session_close)
        await self._launch.end()
        if self._audio_output is not None:
            await self._audio_output.aclose()
            self._audio_output = None
        if self._ignored_tracks is not None:
            self._ignored_tracks.close()
            self._ignored_tracks = None
        await super().aclose()
        self._is_started = False

    def _on_session_close(self, _: Any) -> None:
        if self._close_atask is None:
            self._close_atask = asyncio.create_task(self._close())
