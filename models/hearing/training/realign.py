"""Moves the boundaries of forced alignment to where a trained network hears them: the aligner's own are 10 to 30 ms off, and more in other languages.

Every boundary may move by up to 80 ms; the path of all boundaries that the network finds most likely wins, less a price for each move.

usage: realign.py FOLDER CHECKPOINT [--hold SPEAKERS]; writes FOLDER/realigned/SPEAKER.jsonl for all speakers of FOLDER/aligned but those held out, which
others judge, and the older synthetic voices, whose times are exact.
"""

import argparse
import glob
import json
import os

import numpy as np
import torch
from scipy.io import wavfile

from features import log_power
from network import VISEMES as VISEME_COUNT
from network import HearingNetwork, normalise
from phones import DIPHTHONGS, FIRST_PART_OF_DIPHTHONG, LABEL_RATE_HZ, SILENCE, VISEME_OF_PHONE, VISEMES

_REACH = 8
# Log likelihood that a boundary must gain for each hundredth that it moves.
_PRICE = 0.12
_SHORTEST = 2
_EXACT = {"flite", "espeak"}
# Of how common a viseme is, what likelihoods are divided by.
_PRIOR_POWER = 0.5
_SLOTS_LATE = 4
_BATCH = 16


class Ear:
    """Log likelihoods of the visemes, from a checkpoint."""

    def __init__(self, path: str):
        self._network = HearingNetwork()
        self._network.load_state_dict(torch.load(path)["weights"])
        self._network.eval()

    def hear_all(self, paths: list[str]) -> list[np.ndarray]:
        """The same for any number of 16 kHz WAV files."""
        sounds = [wavfile.read(path)[1] / 32768 for path in paths]
        order = sorted(range(len(sounds)), key=lambda index: len(sounds[index]))
        heard = {}
        for first in range(0, len(order), _BATCH):
            chosen = order[first : first + _BATCH]
            heard.update(zip(chosen, self.hear([sounds[index] for index in chosen])))
        return [heard[index] for index in range(len(sounds))]

    def hear(self, sounds: list[np.ndarray]) -> list[np.ndarray]:
        """float32 [hundredths, 15] for each of a few sounds in [-1, 1] of about the same length."""
        powers = [log_power(np.pad(sound, (0, 6400 - len(sound) % 320))) for sound in sounds]
        frames = max(len(power) for power in powers) // 2 * 2
        batch = torch.full((len(sounds), frames, powers[0].shape[1]), -20.0)
        for row, power in zip(batch, powers):
            row[: len(power)] = torch.from_numpy(power.astype(np.float32))
        with torch.no_grad():
            answers, _ = self._network(normalise(torch.exp(batch)), self._network.silence(len(sounds)))
        said = torch.log_softmax(answers[..., :VISEME_COUNT], -1).numpy()
        # Each 20 ms are answered twice: as a first half by one frame, as a second half by the one before.
        slots = (said[:, _SLOTS_LATE + 1 :, 0] + said[:, _SLOTS_LATE:-1, 1]) / 2
        return [_hundredths(row)[: len(sound) // 160] for row, sound in zip(slots, sounds)]


def _hundredths(slots: np.ndarray) -> np.ndarray:
    """From middles of 20 ms to middles of 10 ms."""
    before = np.concatenate([slots[:1], slots[:-1]])
    after = np.concatenate([slots[1:], slots[-1:]])
    return np.stack([0.75 * slots + 0.25 * before, 0.75 * slots + 0.25 * after], 1).reshape(-1, slots.shape[1])


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
    """int [len(spans) - 1]: by how many hundredths each inner boundary moves. `likelihood` is [hundredths, 15]."""
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("checkpoint")
    parser.add_argument("--hold", default="", help="speakers left as they are, comma-separated")
    options = parser.parse_args()
    torch.set_num_threads(1)
    ear, folder = Ear(options.checkpoint), options.folder
    os.makedirs(f"{folder}/realigned", exist_ok=True)
    speakers = {os.path.basename(path)[: -len(".jsonl")] for path in glob.glob(f"{folder}/aligned/*.jsonl")}
    for speaker in sorted(speakers - _EXACT - set(options.hold.split(","))):
        rows = [json.loads(line) for line in open(f"{folder}/aligned/{speaker}.jsonl")]
        heard = ear.hear_all([row["wav"] for row in rows])
        prior = _PRIOR_POWER * np.log(_shares(rows))
        distance = []
        with open(f"{folder}/realigned/{speaker}.jsonl", "w") as out:
            for row, likelihood in zip(rows, heard):
                phones = realigned(row["phones"], likelihood - prior)
                distance += [abs(after[2] - before[2]) for before, after in zip(row["phones"][:-1], phones[:-1])]
                out.write(json.dumps({**row, "phones": phones}) + "\n")
        print(f"{speaker}: {len(rows)} utterances, boundaries moved by {1000 * np.mean(distance):.0f} ms", flush=True)


def _shares(rows: list) -> np.ndarray:
    """Of the time, float [15], none zero."""
    counts = np.ones(VISEME_COUNT)
    for row in rows:
        for viseme, begin, end in segments(row["phones"]):
            counts[viseme] += end - begin
    return counts / counts.sum()


if __name__ == "__main__":
    main()
