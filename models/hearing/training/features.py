"""From aligned sound to long rolls of mel power with labels, computed once: training then costs the network alone.

usage: features.py FOLDER; writes FOLDER/features/SPEAKER.npz for every FOLDER/aligned/*.jsonl and synthetic engine, and not-speech.npy. Where there is a
FOLDER/realigned/SPEAKER.jsonl it writes FOLDER/features/SPEAKER.labels.npy too, which training prefers.
"""

import glob
import json
import os
import sys

import numpy as np
import torch
from scipy.io import wavfile

from network import CONTEXT, SAMPLE_RATE_HZ, STEP, WINDOW, mel_filters
from not_speech import NotSpeech
from phones import viseme_labels

# A voice faster or slower is also higher or lower, as a child's or a giant's.
SPEEDS = (0.84, 1.0, 1.19)
_GAPS_S = (0.0, 0.05, 0.15, 0.3, 0.7)
# Far below what the network's own floor lets through.
_SILENCE = -20.0
_NOT_SPEECH_PIECES = 400
_PIECE_S = 5


def log_power(sound: np.ndarray) -> np.ndarray:
    """float16 [frames of 10 ms, 64] of sound in [-1, 1]; a frame's window ends with the frame."""
    framed = torch.from_numpy(np.pad(sound.astype(np.float32), (CONTEXT, 0))).unfold(0, WINDOW, STEP)
    spectrum = torch.fft.rfft(framed * torch.from_numpy(np.hanning(WINDOW).astype(np.float32)), 512)
    power = spectrum.abs() ** 2 @ torch.from_numpy(mel_filters())
    return torch.log(power + 1e-9).numpy().astype(np.float16)


def _layout(rows: list):
    """(row, speed, hundredths of pause behind it) of all utterances at all speeds in a random order, always the same for as many rows."""
    random = np.random.default_rng(len(rows))
    jobs = [(row, speed) for row in rows for speed in SPEEDS]
    for index in random.permutation(len(jobs)):
        yield *jobs[index], int(random.choice(_GAPS_S) * 100)


def _frames(row: dict, speed: float) -> int:
    """Hundredths of an utterance at a speed."""
    return len(np.arange(0, round(row["seconds"] * SAMPLE_RATE_HZ) - 1, speed)) // STEP


def roll_labels(rows: list) -> np.ndarray:
    """int8 [n]: visemes of the roll."""
    labels = []
    for row, speed, gap in _layout(rows):
        said = viseme_labels(row["phones"], row["seconds"])
        where = ((np.arange(_frames(row, speed)) + 0.5) * speed).astype(int)
        labels += [said[np.minimum(where, len(said) - 1)], np.zeros(gap, np.int8)]
    return np.concatenate(labels)


def roll_power(rows: list) -> np.ndarray:
    """float16 [n, 64]: all utterances at all speeds in a random order, with pauses between."""
    power = []
    for row, speed, gap in _layout(rows):
        _, samples = wavfile.read(row["wav"])
        sound = np.interp(np.arange(0, len(samples) - 1, speed), np.arange(len(samples)), samples / 32768)
        power += [log_power(sound[: _frames(row, speed) * STEP]), np.full((gap, 64), _SILENCE, np.float16)]
    return np.concatenate(power)


def main(folder: str) -> None:
    torch.set_num_threads(1)
    os.makedirs(f"{folder}/features", exist_ok=True)
    target = f"{folder}/features/not-speech.npy"
    if not os.path.exists(target):
        maker = NotSpeech(_PIECE_S * SAMPLE_RATE_HZ, np.random.default_rng(0))
        np.save(target, np.stack([log_power(maker.draw()) for _ in range(_NOT_SPEECH_PIECES)]))
    for path in sorted(glob.glob(f"{folder}/aligned/*.jsonl")):
        name = os.path.basename(path)[: -len(".jsonl")]
        target = f"{folder}/features/{name}"
        rows = [json.loads(line) for line in open(path)]
        if not os.path.exists(f"{target}.npz") and rows:
            np.savez(f"{target}.npz", power=roll_power(rows), labels=roll_labels(rows))
            print(f"{name}: {len(rows)} utterances", flush=True)
        better = f"{folder}/realigned/{name}.jsonl"
        if os.path.exists(better):
            np.save(f"{target}.labels.npy", roll_labels([json.loads(line) for line in open(better)]))


if __name__ == "__main__":
    main(sys.argv[1])
