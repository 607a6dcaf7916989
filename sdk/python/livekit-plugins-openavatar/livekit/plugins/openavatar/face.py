"""How the face behaves."""

from __future__ import annotations

import re
from typing import Any, Literal

from livekit.agents import NotGivenOr
from livekit.agents.utils import is_given

from .errors import AvatarException

Manner = Literal["still", "natural", "animated"]

EMOTIONS = (
    "neutral",
    "happy",
    "sad",
    "angry",
    "surprised",
    "afraid",
    "disgusted",
    "content",
)
MANNERS = ("still", "natural", "animated")
EMOTION = re.compile(rf"({'|'.join(EMOTIONS)})(:(0(\.\d*)?|\.\d+|1(\.0*)?))?")


def face_fields(
    emotion: NotGivenOr[str], manner: NotGivenOr[Manner], listen: NotGivenOr[bool]
) -> dict[str, Any]:
    """The fields of a launch that are given.

    Raises AvatarException, which lists the names, for an unknown one.
    """
    fields: dict[str, Any] = {}
    if is_given(emotion):
        if not isinstance(emotion, str) or not EMOTION.fullmatch(emotion):
            raise AvatarException(
                f"emotion must be one of {', '.join(EMOTIONS)}, or one with an intensity from "
                "0 to 1, such as happy:0.6",
                code="BAD_ARGUMENT",
            )
        fields["emotion"] = emotion
    if is_given(manner):
        if manner not in MANNERS:
            raise AvatarException(
                f"manner must be one of {', '.join(MANNERS)}", code="BAD_ARGUMENT"
            )
        fields["manner"] = manner
    if is_given(listen):
        fields["listen"] = listen
    return fields
