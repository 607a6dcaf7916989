from __future__ import annotations

import asyncio
import base64
import datetime
import os
from dataclasses import dataclass
from typing import Any

from livekit import api, rtc
from livekit.agents import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    AgentSession,
    APIConnectOptions,
    NotGivenOr,
    get_job_context,
    utils,
)
from livekit.agents.types import ATTRIBUTE_PUBLISH_ON_BEHALF
from livekit.agents.voice.avatar import AvatarSession as BaseAvatarSession

from .api import AvatarApi
from .errors import AvatarException
from .log import logger
from .output import AvatarAudioOutput

PROVIDER = "open-avatar"
ATTRIBUTE_AVATAR_PROVIDER = "lk.avatar_provider"
DEFAULT_IDENTITY = "service-avatar-agent"
DEFAULT_NAME = "Avatar"
# The longest session; a process that replaces another joins with the same token.
TOKEN_TTL = datetime.timedelta(hours=24)
# An avatar that is not in its room yet is removed when it has joined.
REMOVE_ATTEMPTS = 4
REMOVE_INTERVAL_S = 1.0


@dataclass
class _Place:
    """The room, and the credentials of its LiveKit server."""

    url: str
    api_key: str
    api_secret: str
    room_name: str
    agent_identity: str


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
        self._api = AvatarApi(api_url=api_url, api_secret=api_secret, conn_options=conn_options)
        if image and self._api.is_scoped:
            raise AvatarException(
                "image needs an API secret: a scoped token is bound to an avatar",
                code="BAD_ARGUMENT",
            )
        self._agent_id = agent_id
        self._model = model
        self._image = image
        self._avatar_participant_identity = avatar_participant_identity or DEFAULT_IDENTITY
        self._avatar_participant_name = avatar_participant_name or DEFAULT_NAME
        self._place: _Place | None = None
        self._session_id: str | None = None
        self._audio_output: AvatarAudioOutput | None = None
        self._watched_room: rtc.Room | None = None
        self._watched_session: AgentSession | None = None
        self._launch_atask: asyncio.Task[str] | None = None
        self._close_atask: asyncio.Task[None] | None = None

    @property
    def avatar_identity(self) -> str:
        return self._avatar_participant_identity

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
        if self._place is not None:
            raise AvatarException(
                "This avatar is started already. Make an AvatarSession for each AgentSession.",
                code="BAD_STATE",
            )
        self._place = _find_place(room, livekit_url, livekit_api_key, livekit_api_secret)
        self._close_atask = None
        try:
            await super().start(agent_session, room)
            self._watch(agent_session, room)
            self._launch_atask = asyncio.create_task(self._launch(self._place))
            # A launch that is given up half-way could start an avatar that is never ended.
            self._session_id = await asyncio.shield(self._launch_atask)
            if agent_session.output.audio is not None:
                logger.warning("the agent session has an audio output already; it is replaced")
            self._audio_output = AvatarAudioOutput(room, destination_identity=self.avatar_identity)
            agent_session.output.replace_audio_tail(self._audio_output)
        except BaseException:
            await asyncio.shield(self.aclose())
            raise

    async def aclose(self) -> None:
        """Ends the avatar's session, which frees its slot, and leaves the agent's events.

        Called by itself when the agent session closes, and when the job shuts down.
        """
        if self._place is None:
            return
        if self._close_atask is None:
            self._close_atask = asyncio.create_task(self._close(self._place))
        await asyncio.shield(self._close_atask)

    async def _launch(self, place: _Place) -> str:
        fields = {
            "mode": "gpu",
            "livekit_url": place.url,
            "livekit_token": self._join_token(place),
            "room_name": place.room_name,
        }
        if self._model:
            fields["model"] = self._model
        if self._image:
            fields["image"] = _image_text(self._image)
        if self._agent_id:
            fields["agent_id"] = self._agent_id
        elif not self._image and not self._api.is_scoped:
            fields["agent_id"] = await self._api.first_sample()
        session_id = await self._api.launch(fields)
        logger.debug("avatar session started", extra={"session_id": session_id})
        return session_id

    def _join_token(self, place: _Place) -> str:
        return (
            api.AccessToken(api_key=place.api_key, api_secret=place.api_secret)
            .with_kind("agent")
            .with_identity(self._avatar_participant_identity)
            .with_name(self._avatar_participant_name)
            .with_grants(api.VideoGrants(room_join=True, room=place.room_name))
            .with_attributes(
                {
                    ATTRIBUTE_PUBLISH_ON_BEHALF: place.agent_identity,
                    ATTRIBUTE_AVATAR_PROVIDER: PROVIDER,
                }
            )
            .with_ttl(TOKEN_TTL)
            .to_jwt()
        )

    async def _close(self, place: _Place) -> None:
        try:
            await self._end(place)
        finally:
            if self._audio_output is not None:
                await self._audio_output.aclose()
                self._audio_output = None
            self._unwatch()
            await super().aclose()
            await self._api.aclose()
            self._place = None

    async def _end(self, place: _Place) -> None:
        session_id, self._session_id = self._session_id, None
        if session_id is None and self._launch_atask is not None:
            # Given up while it was under way.
            [outcome] = await asyncio.gather(self._launch_atask, return_exceptions=True)
            session_id = outcome if isinstance(outcome, str) else None
        if session_id is None:
            return
        if not self._api.is_scoped:
            try:
                return await self._api.end(session_id)
            except AvatarException as error:
                logger.debug("avatar session not ended: %s", error.message)
        # The slot of an avatar that is removed from its room is free, too.
        await self._remove(place)

    async def _remove(self, place: _Place) -> None:
        avatar = api.RoomParticipantIdentity(room=place.room_name, identity=self.avatar_identity)
        async with api.LiveKitAPI(place.url, place.api_key, place.api_secret) as livekit:
            for attempt in range(REMOVE_ATTEMPTS):
                if attempt > 0:
                    await asyncio.sleep(REMOVE_INTERVAL_S)
                try:
                    await livekit.room.remove_participant(avatar)
                    return
                except api.TwirpError as error:
                    if error.code != "not_found":
                        logger.warning("avatar not removed from its room: %s", error.message)
                        return
                except Exception as error:
                    logger.warning("avatar not removed from its room: %s", error)
                    return

    # The agent subscribes to every track of its room, and the avatar would be encoded for it.
    def _watch(self, agent_session: AgentSession, room: rtc.Room) -> None:
        self._watched_session = agent_session
        self._watched_room = room
        agent_session.on("close", self._on_session_close)
        room.on("track_published", self._on_track_published)
        room.on("track_subscribed", self._on_track_subscribed)
        participants = room.remote_participants if room.isconnected() else {}
        if (avatar := participants.get(self.avatar_identity)) is not None:
            for publication in avatar.track_publications.values():
                self._on_track_published(publication, avatar)

    def _unwatch(self) -> None:
        if self._watched_session is not None:
            self._watched_session.off("close", self._on_session_close)
            self._watched_session = None
        if self._watched_room is not None:
            self._watched_room.off("track_published", self._on_track_published)
            self._watched_room.off("track_subscribed", self._on_track_subscribed)
            self._watched_room = None

    def _on_track_published(
        self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if participant.identity == self.avatar_identity:
            publication.set_subscribed(False)

    def _on_track_subscribed(
        self,
        track: rtc.Track,
        publication: rtc.RemoteTrackPublication,
        participant: rtc.RemoteParticipant,
    ) -> None:
        self._on_track_published(publication, participant)

    @utils.log_exceptions(logger=logger)
    async def _close_with_session(self) -> None:
        await self.aclose()

    def _on_session_close(self, _: Any) -> None:
        task = asyncio.create_task(self._close_with_session())
        task.add_done_callback(lambda _: None)


def _find_place(
    room: rtc.Room,
    livekit_url: NotGivenOr[str],
    livekit_api_key: NotGivenOr[str],
    livekit_api_secret: NotGivenOr[str],
) -> _Place:
    url = livekit_url or os.getenv("LIVEKIT_URL")
    api_key = livekit_api_key or os.getenv("LIVEKIT_API_KEY")
    api_secret = livekit_api_secret or os.getenv("LIVEKIT_API_SECRET")
    if not url or not api_key or not api_secret:
        raise AvatarException(
            "livekit_url, livekit_api_key and livekit_api_secret must be given to start(), or "
            "LIVEKIT_URL, LIVEKIT_API_KEY and LIVEKIT_API_SECRET set in the environment",
            code="MISSING_AUTH",
        )
    job = get_job_context(required=False)
    if room.isconnected():
        return _Place(url, api_key, api_secret, room.name, room.local_participant.identity)
    if job is not None:
        return _Place(url, api_key, api_secret, job.job.room.name, job.local_participant_identity)
    raise AvatarException(
        "Outside a job, the room must be connected before the avatar is started",
        code="BAD_STATE",
    )


def _image_text(image: str | bytes) -> str:
    return image if isinstance(image, str) else base64.b64encode(image).decode()
