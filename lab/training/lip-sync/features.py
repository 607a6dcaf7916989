"""Converts aligned audio to long rolls of mel power with labels. Computed once, so that training only runs the network.

usage: features.py FOLDER. Writes FOLDER/features/SPEAKER.npz for every FOLDER/aligned/*.jsonl and synthetic engine, and
not-speech.npy. For speakers of teacher.py it also writes SPEAKER.labels.npy (better times, which training prefers),
SPEAKER.taught.npy (the teacher's posteriors) and SPEAKER.hints.npy (the teacher's hints).
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

# A faster or slower voice also has a higher or lower pitch, like a child's or a very low voice.
SPEEDS = (0.84, 1.0, 1.19)
_GAPS_S = (0.0, 0.05, 0.15, 0.3, 0.7)
# Far below the network's own floor.
_SILENCE = -20.0
# Value of the first hint where there are none.
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
    """(row, speed, hundredths of pause after it) of all utterances at all speeds in a random order, which depends only
    on the number of rows."""
    random = np.random.default_rng(len(rows))
    jobs = [(row, speed) for row in rows for speed in SPEEDS]
    for index in random.permutation(len(jobs)):
        yield *jobs[index], int(random.choice(_GAPS_S) * 100)


def _frames(row: dict, speed: float) -> int:
    """Duration of an utterance at a speed, in hundredths."""
    return len(np.arange(0, round(row["seconds"] * SAMPLE_RATE_HZ) - 1, speed)) // STEP


def _roll(rows: list, said: list[np.ndarray], pause: np.ndarray) -> np.ndarray:
    """Maps values per hundredth of the rows to values per hundredth of the roll."""
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
    """The values of each row, from those of all rows in sequence."""
    ends = np.cumsum([length_of(row) for row in rows])
    assert ends[-1] == len(said), "what the teacher says is of other utterances"
    return np.split(said, ends[:-1])


def roll_taught(rows: list, taught: np.ndarray) -> np.ndarray:
    """uint8 [n, 15]: posteriors of the roll in 255ths; `taught` contains those of all rows in sequence."""
    return _roll(rows, _of_each(rows, hundredths_of, taught), (255 * np.eye(taught.shape[1])[0]).astype(np.uint8))


def roll_hints(rows: list, hints: np.ndarray) -> np.ndarray:
    """int8 [n, HINTS] of the roll, NO_HINT in pauses; `hints` contains those of all rows' 20 ms frames in sequence."""
    by_hundredth = [np.repeat(said, 2, 0)[: hundredths_of(row)] for row, said in zip(rows, _of_each(rows, frames_of, hints))]
    return _roll(rows, by_hundredth, np.full(hints.shape[1], NO_HINT, np.int8))


def roll_power(rows: list) -> np.ndarray:
    """float16 [n, 64]: all utterances at all speeds in a random order, with pauses between them."""
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
