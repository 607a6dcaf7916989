"""The spoken lines of the game "Flight of the Amazon Queen" with their text, from the archive in Debian (queen.1c).

The archive is a table of files: "QTBL", the version, then for each file its name, bundle, offset and size. Lines of the
hero are in QUEEN2.JAS. Dialogues are in *.DOG; commands ("*" and two characters) split each line into segments with one
sound each.
"""

import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

# QUEEN2.JAS begins with the texts of the hero's remarks; his general replies follow after 12 verbs. Those are the first
# sounds.
_REPLIES = 40
_VERBS = 12
_DOG_HEADER = 20
_COMMAND = re.compile(r"\*(?:XY\d\d\(\d+,\d+\)|..)")
_ENTRY = struct.Struct(">12sBII")


@dataclass(frozen=True)
class Line:
    """Text of one sound. `voice` is "joe" or the dialogue partner's name."""

    sound: str
    voice: str
    text: str


class Talkie:
    def __init__(self, path: str):
        with open(path, "rb") as archive:
            self._data = archive.read()
        if self._data[:4] != b"QTBL":
            raise ValueError(f"{path} is no archive of the game: it begins with {self._data[:4]!r}")
        (count,) = struct.unpack_from(">H", self._data, 13)
        self._files = {}
        for index in range(count):
            name, _, offset, size = _ENTRY.unpack_from(self._data, 15 + index * _ENTRY.size)
            self._files[name.rstrip(b"\0").decode("ascii")] = (offset, size)

    def sound(self, name: str) -> io.BytesIO:
        """MP3."""
        return io.BytesIO(self._read(name))

    def lines(self) -> Iterator[Line]:
        """Every line with a sound, in a fixed order."""
        yield from (line for line in [*self._remarks(), *self._dialogues()] if line.sound in self._files)

    def _read(self, name: str) -> bytes:
        offset, size = self._files[name]
        return self._data[offset : offset + size]

    def _remarks(self) -> Iterator[Line]:
        """The hero's remarks about things, and his general replies."""
        rooms, names, _, descriptions = struct.unpack_from(">4H", self._read("QUEEN.JAS"), _DOG_HEADER)
        texts = self._read("QUEEN2.JAS").decode("latin-1").replace("\r", "").split("\n")
        replies = descriptions + names + rooms + _VERBS
        for number in range(1, _REPLIES + 1):
            yield from _segments(f"JOE{number:4}", "joe", texts[replies + number - 1])
        for number in range(1, descriptions + 1):
            yield from _segments(f"JOE{number + _REPLIES:4}", "joe", texts[number - 1])

    def _dialogues(self) -> Iterator[Line]:
        for name in sorted(self._files):
            if not name.endswith(".DOG"):
                continue
            data = self._read(name)[_DOG_HEADER:]
            levels, _, key, own, other = struct.unpack_from(">5h", data)
            (others_offset,) = struct.unpack_from(">H", data, 22)
            partner = re.sub(r"[^A-Z].*", "", name).lower()
            for voice, offset, count, mark in (("joe", 32 + abs(levels) * 96, own, "J"), (partner, others_offset, other, "P")):
                for identifier, text in _texts(data, offset, count):
                    yield from _segments(f"{key:2}{identifier:4x}{mark}", voice, text)


def _texts(data: bytes, offset: int, count: int) -> Iterator[tuple[int, str]]:
    """Numbered texts: two unused bytes, the number, a length of one byte, and the text, padded to a multiple of four.
    """
    for _ in range(count):
        if offset + 5 > len(data):
            return
        (identifier,) = struct.unpack_from(">h", data, offset + 2)
        length = data[offset + 4]
        offset += 5
        if length:
            yield identifier & 0xFFFF, data[offset : offset + length].decode("latin-1")
            offset = (offset + length + 3) & ~3


def _segments(prefix: str, voice: str, text: str) -> Iterator[Line]:
    for number, words in enumerate(_COMMAND.split(text), 1):
        if words.strip():
            yield Line(f"{prefix}{number:x}".replace(" ", "0")[:8] + ".SB", voice, words.strip())
