"""A talking face for LiveKit Agents, from an open avatar service."""

from livekit.agents import Plugin

from .avatar import AvatarSession
from .errors import AvatarException
from .log import logger
from .version import __version__

__all__ = ["AvatarException", "AvatarSession", "__version__"]


class OpenAvatarPlugin(Plugin):
    def __init__(self) -> None:
        super().__init__(__name__, __version__, __package__, logger)


Plugin.register_plugin(OpenAvatarPlugin())
