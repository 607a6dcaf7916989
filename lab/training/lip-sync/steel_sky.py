"""The spoken lines of the game "Beneath a Steel Sky", without their text, from the archive in Debian (sky.dnr,
sky.dsk).

The first file is the table of the second: a count, then eight bytes per file with its number, 24 bits of offset (in
units of 16 if the highest bit is set), and 24 bits of size and flags. Speech has numbers from 50000: a header of 22
bytes, then unsigned 8-bit samples at 11025 Hz, packed or not.
"""

import struct
from collections.abc import Iterator

import numpy as np

from propack import is_packed, unpack

RATE_HZ = 11_025
_SPEECH = range(50_000, 60_000)
_HEADER = 22


def spoken_lines(folder: str) -> Iterator[tuple[int, np.ndarray]]:
    """(number, int16 samples at RATE_HZ) of every line."""
    with open(f"{folder}/sky.dnr", "rb") as table, open(f"{folder}/sky.dsk", "rb") as files:
        entries, data = table.read(), files.read()
    for index in range(struct.unpack_from("<I", entries)[0]):
        entry = entries[4 + 8 * index : 12 + 8 * index]
        number = int.from_bytes(entry[:2], "little")
        where, size = int.from_bytes(entry[2:5], "little"), int.from_bytes(entry[5:], "little") & 0x3FFFFF
        offset = (where & 0x7FFFFF) << 4 if where & 0x800000 else where
        sound = data[offset + _HEADER : offset + size]
        if number in _SPEECH and sound:
            samples = np.frombuffer(unpack(sound) if is_packed(sound) else sound, np.uint8)
            yield number, (samples.astype(np.int16) - 128) * 256
