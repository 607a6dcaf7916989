"""Unpacks data of Rob Northen's ProPack, method 1, a format of games of the 1990s.

The header has eighteen bytes: "RNC" and the method, both sizes, two checksums, the leeway, the number of chunks. A
chunk is three Huffman tables (runs of plain bytes, distances, lengths), and pairs of a run and a copy. Bits come from
16-bit words, lowest first; plain bytes are between the words.
"""

import struct

_HEADER = 18
_LONGEST_CODE = 16


class _Bits:
    def __init__(self, data: bytes):
        self.data, self.at = data, _HEADER
        self._held, self._count = 0, 0

    def take(self, count: int) -> int:
        while self._count < count:
            self._held |= int.from_bytes(self.data[self.at : self.at + 2], "little") << self._count
            self._count, self.at = self._count + 16, self.at + 2
        value = self._held & ((1 << count) - 1)
        self._held, self._count = self._held >> count, self._count - count
        return value

    def table(self) -> dict[tuple[int, int], int]:
        """Maps codes (length in bits, bits in reading order) to values."""
        lengths = [self.take(4) for _ in range(self.take(5))]
        code, values = 0, {}
        for length in range(1, _LONGEST_CODE + 1):
            for value in (value for value, bits in enumerate(lengths) if bits == length):
                values[length, int(f"{code:0{length}b}"[::-1], 2)] = value
                code += 1
            code <<= 1
        return values

    def value(self, table: dict[tuple[int, int], int]) -> int:
        """From 2 on, a code gives the number of bits below the highest one."""
        code = 0
        for length in range(1, _LONGEST_CODE + 1):
            code |= self.take(1) << (length - 1)
            bits = table.get((length, code))
            if bits is not None:
                return bits if bits < 2 else (1 << (bits - 1)) + self.take(bits - 1)
        raise ValueError("packed data is damaged: no such code")


def is_packed(data: bytes) -> bool:
    return data[:4] == b"RNC\x01"


def unpack(packed: bytes) -> bytes:
    """Raises ValueError if the data is not ProPack or is damaged."""
    if not is_packed(packed):
        raise ValueError(f"not packed by ProPack's method 1: {packed[:4]!r}")
    (size,) = struct.unpack_from(">I", packed, 4)
    bits, out = _Bits(packed), bytearray()
    bits.take(2)
    for _ in range(packed[_HEADER - 1]):
        runs, distances, lengths = bits.table(), bits.table(), bits.table()
        pairs = bits.take(16)
        for pair in range(pairs):
            run = bits.value(runs)
            out += packed[bits.at : bits.at + run]
            bits.at += run
            if pair < pairs - 1:
                distance, length = bits.value(distances) + 1, bits.value(lengths) + 2
                for _ in range(length):
                    out.append(out[-distance])
    if len(out) != size:
        raise ValueError(f"packed data is damaged: {len(out)} bytes instead of {size}")
    return bytes(out)
