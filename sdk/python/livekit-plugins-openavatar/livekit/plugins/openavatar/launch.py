from __future__ import annotations

import asyncio
import base64
import datetime
import os
from dataclasses import dataclass

from livekit import api, rtc
from livekit.agents import APIConnectOptions, NotGivenOr, get_job_context
from livekit.agents.types import ATTRIBUTE_PUBLISH_ON_BEHALF

from .api import AvatarApi
from .errors import AvatarException
from .face import Manner, face_fields
from .log import logger

PROVIDER = "open-avatar"
ATTRIBUTE_AVATAR_PROVIDER = "lk.avatar_provider"
DEFAULT_IDENTITY = "service-avatar-agent"
DEFAULT_NAME = "Avatar"
# The longest session; a process that replaces another joins with the same token.
TOKEN_TTL = datetime.timedelta(hours=24)
# An avatar that is not in its room yet is removed when it has joined.
REMOVE_ATTEMPTS = 5
REMOVE_INTERVAL_S = 1.0


@dataclass
class LiveKitServer:
    url: str
    api_key: str
    api_secret: str


@dataclass
class Place:
    """The room, and the agent in it for which the avatar speaks."""

    server: LiveKitServer
    room_name: str
    agent_identity: str


class AvatarLaunch:
    """One avatar in one room: its start and its end."""

    def __init__(
        self,
        *,
        agent_id: NotGivenOr[str],
        model: NotGivenOr[str],
        image: NotGivenOr[str | bytes],
        emotion: NotGivenOr[str],
        manner: NotGivenOr[Manner],
        listen: NotGivenOr[bool],
        api_url: NotGivenOr[str],
        api_secret: NotGivenOr[str],
        avatar_participant_identity: NotGivenOr[str],
        avatar_participant_name: NotGivenOr[str],
        conn_options: APIConnectOptions,
    ) -> None:
        self._api = AvatarApi(api_url=api_url, api_secret=api_secret, conn_options=conn_options)
        if image and self._api.is_scoped:
            raise AvatarException(
                "image needs an API secret: a scoped token is bound to an avatar",
                code="BAD_ARGUMENT",
            )
        self.identity = avatar_participant_identity or DEFAULT_IDENTITY
        self._name = avatar_participant_name or DEFAULT_NAME
        self._agent_id = agent_id
        self._model = model
        self._image = image
        self._face = face_fields(emotion, manner, listen)
        self._place: Place | None = None
        self._launch_atask: asyncio.Task[str] | None = None

    async def start(self, place: Place) -> None:
        """Returns when the service has accepted the avatar, which joins the room meanwhile."""
        self._place = place
        self._api.may_retry = True
        self._launch_atask = asyncio.create_task(self._launch(place))
        # A launch that is given up half-way could start an avatar that is never ended.
        await asyncio.shield(self._launch_atask)

    async def end(self) -> None:
        """Ends the avatar's session, also one that is just being started. Never raises."""
        task, self._launch_atask = self._launch_atask, None
        if task is not None and self._place is not None:
            self._api.may_retry = False
            [outcome] = await asyncio.gather(task, return_exceptions=True)
            if isinstance(outcome, str):
                await self._end(outcome, self._place)
        await self._api.aclose()

    async def _launch(self, place: Place) -> str:
        fields = {
            **self._face,
            "mode": "gpu",
            "livekit_url": place.server.url,
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

    def _join_token(self, place: Place) -> str:
        return (
            api.AccessToken(place.server.api_key, place.server.api_secret)
            .with_kind("agent")
            .with_identity(self.identity)
            .with_name(self._name)
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

    async def _end(self, session_id: str, place: Place) -> None:
        # A scoped token starts a session, and does nothing else.
        if not self._api.is_scoped:
            try:
                return await self._api.end(session_id)
            except AvatarException as error:
                logger.debug("avatar session not ended: %s", error.message)
        # The slot of an avatar that is removed from its room is free, too.
        try:
            await self._remove(place)
        except Exception as error:
            logger.warning("avatar not removed from its room: %s", error)

    async def _remove(self, place: Place) -> None:
        avatar = api.RoomParticipantIdentity(room=place.room_name, identity=self.identity)
        server = place.server
        async with api.LiveKitAPI(server.url, server.api_key, server.api_secret) as livekit:
            for attempt in range(REMOVE_ATTEMPTS):
                if attempt > 0:
                    await asyncio.sleep(REMOVE_INTERVAL_S)
                try:
                    await livekit.room.remove_participant(avatar)
                    return
                except api.TwirpError as error:
                    if error.code != "not_found":
                        raise


class IgnoredTracks:
    """Keeps an agent from receiving the avatar, which would be encoded for it.

    Agents subscribe to every track of their room by themselves.
    """

    def __init__(self, room: rtc.Room, identity: str) -> None:
        self._room = room
        self._identity = identity
        room.on("track_published", self._on_published)
        room.on("track_subscribed", self._on_subscribed)
        participants = room.remote_participants if room.isconnected() else {}
        if (avatar := participants.get(identity)) is not None:
            for publication in avatar.track_publications.values():
                self._on_published(publication, avatar)

    def close(self) -> None:
        self._room.off("track_published", self._on_published)
        self._room.off("track_subscribed", self._on_subscribed)

    def _on_published(
        self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant
    ) -> None:
        if participant.identity == self._identity:
            publication.set_subscribed(False)

    def _on_subscribed(
        self,
        track: rtc.Track,
        publication: rtc.RemoteTrackPublication,
        participant: rtc.RemoteParticipant,
    ) -> None:
        self._on_published(publication, participant)


def find_server(
    livekit_url: NotGivenOr[str],
    livekit_api_key: NotGivenOr[str],
    livekit_api_secret: NotGivenOr[str],
) -> LiveKitServer:
    """Raises AvatarException where an argument is neither given nor in the environment."""
    url = livekit_url or os.getenv("LIVEKIT_URL")
    api_key = livekit_api_key or os.getenv("LIVEKIT_API_KEY")
    api_secret = livekit_api_secret or os.getenv("LIVEKIT_API_SECRET")
    if url and api_key and api_secret:
        return LiveKitServer(url, api_key, api_secret)
    raise AvatarException(
        "livekit_url, livekit_api_key and livekit_api_secret must be given, or LIVEKIT_URL, "
        "LIVEKIT_API_KEY and LIVEKIT_API_SECRET set in the environment",
        code="MISSING_AUTH",
    )


def find_place(server: LiveKitServer, room: rtc.Room) -> Place:
    """Raises AvatarException for a room that is not known yet."""
    if room.isconnected():
        return Place(server, room.name, room.local_participant.identity)
    job = get_job_context(required=False)
    if job is not None:
        return Place(server, job.job.room.name, job.local_participant_identity)
    raise AvatarException(
        "Outside a job, the room must be connected before the avatar is started",
        code="BAD_STATE",
    )


def _image_text(image: str | bytes) -> str:
    return image if isinstance(image, str) else base64.b64encode(image).decode()
