"""Corrects the boundaries of forced alignment with a better acoustic model. The aligner's errors are 10 to 30 ms, more
in languages other than English.

Every boundary may move by up to 80 ms. The most likely path of all boundaries is chosen, minus a penalty for each move.
"""

import numpy as np

from network import VISEMES as VISEME_COUNT
from phones import DIPHTHONGS, FIRST_PART_OF_DIPHTHONG, LABEL_RATE_HZ, SILENCE, VISEME_OF_PHONE, VISEMES

_REACH = 8
# Log likelihood that a boundary must gain per hundredth of movement.
_PRICE = 0.12
_SHORTEST = 2


def segments(phones: list) -> list[tuple[int, int, int]]:
    """(viseme, begin, end) in hundredths, diphthongs in two; pauses are viseme 0."""
    found = []
    for phone, begin, end in phones:
        phone = phone.rstrip("012")
        first, last = round(begin * LABEL_RATE_HZ), round(end * LABEL_RATE_HZ)
        if phone in DIPHTHONGS:
            middle = first + round((last - first) * FIRST_PART_OF_DIPHTHONG)
            parts = zip(DIPHTHONGS[phone], ((first, middle), (middle, last)))
            found += [(VISEMES.index(viseme), *span) for viseme, span in parts]
        else:
            found.append((0 if phone in SILENCE else VISEMES.index(VISEME_OF_PHONE[phone]), first, last))
    return found


def move(spans: list[tuple[int, int, int]], likelihood: np.ndarray) -> np.ndarray:
    """int [len(spans) - 1]: the movement of each inner boundary, in hundredths. `likelihood` is [hundredths, 15]."""
    total = np.concatenate([np.zeros((1, likelihood.shape[1])), np.cumsum(likelihood, 0)])
    moves = np.arange(-_REACH, _REACH + 1)
    price = -_PRICE * np.abs(moves)
    best, back = None, []
    for (left, begin, end), (right, _, right_end) in zip(spans, spans[1:]):
        at = end + moves
        inside = (at >= 0) & (at < len(total))
        clipped = np.clip(at, 0, len(total) - 1)
        gain = np.where(inside, total[clipped, left] - total[clipped, right] + price, -1e9)
        shortest = min(_SHORTEST, end - begin)
        if best is None:
            best = np.where(at >= begin + shortest, gain, -1e9)
        else:
            reachable = at[:, None] - (begin + moves)[None] >= shortest
            paths = np.where(reachable, best[None], -1e9)
            back.append(paths.argmax(1))
            best = gain + paths.max(1)
        if len(back) == len(spans) - 2:
            best = np.where(right_end - at >= min(_SHORTEST, right_end - end), best, -1e9)
    chosen = [int(best.argmax())]
    for pointers in reversed(back):
        chosen.append(int(pointers[chosen[-1]]))
    return moves[np.array(chosen[::-1])]


def realigned(phones: list, likelihood: np.ndarray) -> list:
    """The same phones with moved boundaries; a diphthong's inner boundary is not kept."""
    spans = segments(phones)
    if len(spans) < 2:
        return phones
    moved = move(spans, likelihood)
    ends = [(end + by) / LABEL_RATE_HZ for (_, _, end), by in zip(spans, moved)] + [phones[-1][2]]
    result, begin, index = [], phones[0][1], 0
    for phone, _, _ in phones:
        index += 2 if phone.rstrip("012") in DIPHTHONGS else 1
        result.append([phone, begin, ends[index - 1]])
        begin = ends[index - 1]
    return result


def shares_of_time(rows: list) -> np.ndarray:
    """Share of the time of each viseme, float [15], none zero."""
    counts = np.ones(VISEME_COUNT)
    for row in rows:
        for viseme, begin, end in segments(row["phones"]):
            counts[viseme] += end - begin
    return counts / counts.sum()
