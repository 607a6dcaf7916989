"""A teacher for the small network: a head on Whisper's encoder that classifies visemes. It sees the future audio and
is more precise than forced alignment.

It is trained on the aligner's times, moves them to the boundaries that it finds (realign.py), and is trained on those
once more. The small network is then trained on its posteriors of every hundredth, and on the text where it is known.

usage: teacher.py FOLDER STEPS [--hold SPEAKERS]. Writes for all speakers but the held-out ones, which are used for
tests: FOLDER/realigned/SPEAKER.jsonl; FOLDER/taught/SPEAKER.npy, posteriors in 255ths, uint8 [all hundredths of all
rows, 15]; and FOLDER/hints/SPEAKER.npy, further features of the sounds, int8 [all frames of all rows, HINTS] in 32nds
of a deviation.
"""

import argparse
import glob
import json
import math
import os

import numpy as np
import torch
from torch import nn

from corpora import REST
from evaluate import GROUP_OF_VISEME
from network import VISEMES as VISEME_COUNT
from phones import hundredths_of, phones_of, viseme_labels
from realign import realigned, shares_of_time
from whisper_encoder import EXACT, WIDTH, frames_of

_HIDDEN = 256
_BATCH = 32
_CROP = 200
_RATE = 1e-3
# Exponent of the viseme frequencies by which likelihoods are divided before boundaries move.
_PRIOR_POWER = 0.5
_UNKNOWN = -100
# Directions of the encoder's output that this head weights most. They also tell apart sounds that look alike.
HINTS = 40
HINT_STEPS = 32
_SAMPLED = 1200


class Head(nn.Module):
    """forward(encoded float32 [batch, frames of 20 ms, 512]) → logits [batch, 2 × frames, 15]."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.2)
        self.lift = nn.Linear(WIDTH, _HIDDEN)
        self.near = nn.Conv1d(_HIDDEN, _HIDDEN, 5, padding=2)
        self.far = nn.Conv1d(_HIDDEN, _HIDDEN, 5, padding=2)
        self.answer = nn.Linear(_HIDDEN, 2 * VISEME_COUNT)

    def forward(self, encoded):
        x = nn.functional.gelu(self.lift(self.drop(encoded))).transpose(1, 2)
        x = x + nn.functional.gelu(self.near(x))
        x = x + nn.functional.gelu(self.far(x))
        return self.answer(self.drop(x.transpose(1, 2))).reshape(len(encoded), -1, VISEME_COUNT)


class Utterances:
    """Data of one speaker: the encoder's output, and the aligner's labels."""

    def __init__(self, folder: str, speaker: str):
        self.rows = [json.loads(line) for line in open(f"{folder}/aligned/{speaker}.jsonl")]
        encoded = np.load(f"{folder}/encoded/{speaker}.npy", mmap_mode="r")
        ends = np.cumsum([frames_of(row) for row in self.rows])
        assert ends[-1] == len(encoded), f"{speaker}: encoded from other utterances; remove FOLDER/encoded/{speaker}.npy"
        self.encoded = np.split(encoded, ends[:-1])
        self.hundredths = sum(hundredths_of(row) for row in self.rows)

    @property
    def are_known(self) -> bool:
        """Whether the text is known."""
        return self.rows[0]["phones"] is not None

    def labels(self, index: int) -> np.ndarray:
        return viseme_labels(self.rows[index]["phones"], self.rows[index]["seconds"])

    def posteriors(self, head: Head) -> list[np.ndarray]:
        """float32 [hundredths, 15] for each utterance."""
        head.eval()
        with torch.no_grad():
            said = [torch.softmax(head(torch.from_numpy(np.array(encoded, np.float32))[None])[0], -1).numpy() for encoded in self.encoded]
        return [posterior[: hundredths_of(row)] for row, posterior in zip(self.rows, said)]


def batches(speakers: list[Utterances], random: np.random.Generator):
    """Endless (encoded, labels); utterances follow one another until a row is full."""
    weights = np.sqrt([speaker.hundredths for speaker in speakers])
    weights /= weights.sum()
    while True:
        encoded, labels = np.zeros((_BATCH, _CROP, WIDTH), np.float32), np.full((_BATCH, 2 * _CROP), _UNKNOWN)
        for row in range(_BATCH):
            speaker, at = speakers[random.choice(len(speakers), p=weights)], 0
            while at < _CROP:
                index = int(random.integers(len(speaker.rows)))
                piece, said = speaker.encoded[index], speaker.labels(index)
                count = min(len(piece), _CROP - at)
                start = int(random.integers(len(piece) - count + 1))
                encoded[row, at : at + count] = piece[start : start + count]
                known = said[2 * start : 2 * (start + count)]
                labels[row, 2 * at : 2 * at + len(known)] = known
                at += count
        yield torch.from_numpy(encoded), torch.from_numpy(labels)


def teach(head: Head, speakers: list[Utterances], steps: int) -> None:
    optimiser = torch.optim.AdamW(head.parameters(), lr=_RATE, weight_decay=0.01)
    head.train()
    running = None
    for step, (encoded, labels) in zip(range(steps), batches(speakers, np.random.default_rng(0))):
        for group in optimiser.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / 50) * (0.02 + 0.98 * (1 + math.cos(math.pi * step / steps)) / 2)
        loss = nn.functional.cross_entropy(head(encoded).flatten(0, 1), labels.flatten(), ignore_index=_UNKNOWN, label_smoothing=0.03)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if (step + 1) % 100 == 0:
            print(json.dumps({"step": step + 1, "loss": round(running, 3)}), flush=True)


def accuracy(head: Head, speaker: Utterances) -> float:
    """Share of the hundredths with the same viseme group as the labels."""
    groups = np.eye(6)[GROUP_OF_VISEME]
    right = [
        (posterior @ groups).argmax(1) == GROUP_OF_VISEME[speaker.labels(index)][: len(posterior)]
        for index, posterior in enumerate(speaker.posteriors(head))
    ]
    return float(np.concatenate(right).mean())


def realign(head: Head, name: str, speaker: Utterances) -> None:
    """Corrects the times of utterances with a known text."""
    prior = _PRIOR_POWER * np.log(shares_of_time(speaker.rows))
    distance = []
    for row, posterior in zip(speaker.rows, speaker.posteriors(head)):
        phones = realigned(row["phones"], np.log(posterior + 1e-4) - prior)
        distance += [abs(after[2] - before[2]) for before, after in zip(row["phones"][:-1], phones[:-1])]
        row["phones"] = phones
    print(f"{name}: {len(speaker.rows)} utterances, boundaries moved by {1000 * np.mean(distance):.0f} ms", flush=True)


def write_taught(head: Head, folder: str, name: str, speaker: Utterances) -> None:
    """The teacher's posteriors of a speaker, and the rows with the phones for the small network; without a known text,
    the likeliest."""
    posteriors = speaker.posteriors(head)
    np.save(f"{folder}/taught/{name}.npy", np.rint(255 * np.concatenate(posteriors)).astype(np.uint8))
    with open(f"{folder}/realigned/{name}.jsonl", "w") as out:
        for row, posterior in zip(speaker.rows, posteriors):
            out.write(json.dumps({**row, "phones": row["phones"] or phones_of(posterior.argmax(1))}) + "\n")


class Hints:
    """The encoder's output along HINTS directions, each with mean 0 and deviation 1 over all speakers."""

    def __init__(self, head: Head, speakers: list[Utterances]):
        random = np.random.default_rng(0)
        # One speaker at a time, because all together take gigabytes.
        frames = (np.concatenate(speaker.encoded) for speaker in speakers)
        sample = np.concatenate([rows[random.permutation(len(rows))[:_SAMPLED]] for rows in frames]).astype(np.float32)
        _, _, directions = np.linalg.svd(head.lift.weight.detach().numpy(), full_matrices=False)
        self._mean = sample.mean(0)
        self._basis = directions[:HINTS].T / ((sample - self._mean) @ directions[:HINTS].T).std(0)

    def of(self, speaker: Utterances) -> np.ndarray:
        along = (np.concatenate(speaker.encoded).astype(np.float32) - self._mean) @ self._basis
        return np.clip(np.rint(HINT_STEPS * along), -127, 127).astype(np.int8)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("steps", type=int)
    parser.add_argument("--hold", default="", help="speakers not learned from, comma-separated; the first is listened to on the way")
    options = parser.parse_args()
    folder, held = options.folder, options.hold.split(",")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    names = {os.path.basename(path)[: -len(".jsonl")] for path in glob.glob(f"{folder}/aligned/*.jsonl") if os.path.getsize(path)} - EXACT
    names = {name for name in names if name.removesuffix(REST) not in held}
    speakers = {name: Utterances(folder, name) for name in sorted(names)}
    os.makedirs(f"{folder}/realigned", exist_ok=True)
    os.makedirs(f"{folder}/taught", exist_ok=True)
    os.makedirs(f"{folder}/hints", exist_ok=True)
    head, known = Head(), {name: speaker for name, speaker in speakers.items() if speaker.are_known}
    teach(head, list(known.values()), options.steps)
    for name, speaker in known.items():
        realign(head, name, speaker)
    teach(head, list(known.values()), options.steps)
    torch.save(head.state_dict(), f"{folder}/teacher.pt")
    if held[0]:
        print(f"{held[0]}: accuracy {accuracy(head, Utterances(folder, held[0])):.3f}", flush=True)
    hints = Hints(head, list(speakers.values()))
    for name, speaker in speakers.items():
        write_taught(head, folder, name, speaker)
        np.save(f"{folder}/hints/{name}.npy", hints.of(speaker))


if __name__ == "__main__":
    main()
