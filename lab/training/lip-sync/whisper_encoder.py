"""The output of the encoder of Whisper base (MIT) for speech. It was trained on 680,000 hours, reads half a minute at
once, the future included, and knows phones far better than a network of a few megabytes. It teaches ours
(teacher.py) and does not ship.

usage: whisper_encoder.py FOLDER. Writes FOLDER/encoded/SPEAKER.npy, float16 [frames of 20 ms, 512], for every
FOLDER/aligned/*.jsonl except those of the older synthetic voices, which have exact times. Runs twenty times faster than
real time on one core.
"""

import glob
import json
import os
import sys
from collections.abc import Iterator

import ctranslate2
import numpy as np
from scipy.io import wavfile

from corpora import SAMPLE_RATE_HZ
from whisper_model import WINDOW_SAMPLES, features_of, fetch

WIDTH = 512
FRAME = 320
EXACT = {"flite", "espeak"}
_PAUSE = SAMPLE_RATE_HZ // 2


def frames_of(row: dict) -> int:
    """Number of 20 ms frames of an utterance; frame i covers hundredths 2 i and 2 i + 1."""
    return -(-round(row["seconds"] * SAMPLE_RATE_HZ) // FRAME) + 1


class WhisperEncoder:
    def __init__(self, folder: str):
        self._model = ctranslate2.models.Whisper(fetch(folder), device="cpu", compute_type="float32", intra_threads=1)

    def encode(self, rows: list[dict]) -> np.ndarray:
        """float16 [all frames of all rows, 512], with the rows' audio packed into half minutes."""
        encoded = [np.zeros((frames_of(row), WIDTH), np.float16) for row in rows]
        for items in _packed(rows):
            sound = np.zeros(WINDOW_SAMPLES, np.float32)
            for index, at in items:
                samples = wavfile.read(rows[index]["wav"])[1][: WINDOW_SAMPLES - at]
                sound[at : at + len(samples)] = samples / 32768
            window = self._encode(sound)
            for index, at in items:
                piece = window[at // FRAME :][: len(encoded[index])]
                encoded[index][: len(piece)] = piece
        return np.concatenate(encoded)

    def _encode(self, sound: np.ndarray) -> np.ndarray:
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(features_of(sound)[None]))
        return np.array(self._model.encode(features))[0]


def _packed(rows: list[dict]) -> Iterator[list[tuple[int, int]]]:
    """Windows of (row index, first sample), longest rows first."""
    windows: list[list] = []
    lengths = [frames_of(row) * FRAME for row in rows]
    for index in sorted(range(len(rows)), key=lambda index: -lengths[index]):
        room = next((window for window in windows if window[0] + lengths[index] <= WINDOW_SAMPLES), None)
        if room is None:
            room = [0, []]
            windows.append(room)
        room[1].append((index, room[0]))
        room[0] += (lengths[index] + _PAUSE) // FRAME * FRAME
    return (items for _, items in windows)


def main(folder: str) -> None:
    encoder = WhisperEncoder(folder)
    os.makedirs(f"{folder}/encoded", exist_ok=True)
    for path in sorted(glob.glob(f"{folder}/aligned/*.jsonl")):
        name = os.path.basename(path)[: -len(".jsonl")]
        target = f"{folder}/encoded/{name}.npy"
        if name not in EXACT and os.path.getsize(path) and not os.path.exists(target):
            np.save(target, encoder.encode([json.loads(line) for line in open(path)]))
            print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
