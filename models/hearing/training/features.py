"""From aligned audio to long rolls of mel power with labels, computed once: training then costs the network alone.

usage: features.py FOLDER; writes FOLDER/features/SPEAKER.npz for every FOLDER/aligned/*.jsonl and synthetic engine, and not-speech.npy. Of speakers whom
teacher.py has heard it writes SPEAKER.labels.npy (better times, which training prefers), SPEAKER.taught.npy (what the teacher says) and SPEAKER.hints.npy
(what it knows besides) too.
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
from phones import hundredths_of, viseme_labels
from whisper_encoder import frames_of

# A voice faster or slower is also higher or lower, as a child's or a giant's.
SPEEDS = (0.84, 1.0, 1.19)
_GAPS_S = (0.0, 0.05, 0.15, 0.3, 0.7)
# Far below what the network's own floor lets through.
_SILENCE = -20.0
# The first of the hints where there are none.
NO_HINT = -128
_NOT_SPEECH_PIECES = 400
_PIECE_S = 5


def log_power(sound: np.ndarray) -> np.ndarray:
    """float16 [frames of 10 ms, 64] of audio in [-1, 1]; a frame's window ends with the frame."""
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


def _roll(rows: list, said: list[np.ndarray], pause: np.ndarray) -> np.ndarray:
    """What is said of each hundredth of the rows, for each hundredth of the roll."""
    by_row, pieces = dict(zip((id(row) for row in rows), said)), []
    for row, speed, gap in _layout(rows):
        known = by_row[id(row)]
        where = ((np.arange(_frames(row, speed)) + 0.5) * speed).astype(int)
        pieces += [known[np.minimum(where, len(known) - 1)], np.broadcast_to(pause, (gap, *known.shape[1:]))]
    return np.concatenate(pieces)


def roll_labels(rows: list) -> np.ndarray:
    """int8 [n]: visemes of the roll."""
    return _roll(rows, [viseme_labels(row["phones"], row["seconds"]) for row in rows], np.int8(0))


def _of_each(rows: list, length_of, said: np.ndarray) -> list[np.ndarray]:
    """What is said of each row, out of what is said of all one after the other."""
    ends = np.cumsum([length_of(row) for row in rows])
    assert ends[-1] == len(said), "what the teacher says is of other utterances"
    return np.split(said, ends[:-1])


def roll_taught(rows: list, taught: np.ndarray) -> np.ndarray:
    """uint8 [n, 15]: posteriors of the roll in 255ths; `taught` has those of all rows one after the other."""
    return _roll(rows, _of_each(rows, hundredths_of, taught), (255 * np.eye(taught.shape[1])[0]).astype(np.uint8))


def roll_hints(rows: list, hints: np.ndarray) -> np.ndarray:
    """int8 [n, HINTS] of the roll, NO_HINT in pauses; `hints` has those of all rows' frames of 20 ms one after the other."""
    by_hundredth = [np.repeat(said, 2, 0)[: hundredths_of(row)] for row, said in zip(rows, _of_each(rows, frames_of, hints))]
    return _roll(rows, by_hundredth, np.full(hints.shape[1], NO_HINT, np.int8))


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
        taught = f"{folder}/taught/{name}.npy"
        rows = [json.loads(line) for line in open(path.replace("/aligned/", "/realigned/") if os.path.exists(taught) else path)]
        if not rows or rows[0]["phones"] is None:
            # A held-out speaker: without a transcript and without labels of the teacher.
            continue
        labels = roll_labels(rows)
        if not os.path.exists(f"{target}.npz"):
            np.savez(f"{target}.npz", power=roll_power(rows), labels=labels)
            print(f"{name}: {len(rows)} utterances", flush=True)
        if os.path.exists(taught):
            np.save(f"{target}.labels.npy", labels)
            np.save(f"{target}.taught.npy", roll_taught(rows, np.load(taught)))
            np.save(f"{target}.hints.npy", roll_hints(rows, np.load(f"{folder}/hints/{name}.npy")))


if __name__ == "__main__":
    main(sys.argv[1])
