"""Trains the audio-to-viseme network.

usage: train.py FOLDER MINUTES [--hold SPEAKERS] [--start CHECKPOINT] [--rate R] [--out NAME]
"""

import argparse
import glob
import json
import math
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch import nn

from batches import CROP, Batches, hint_targets, targets
from corpora import REST
from evaluate import GROUP_OF_VISEME, OPENNESS
from network import WIDTH, LipSyncNetwork
from network import VISEMES as VISEME_COUNT
from phones import VISEMES
from teacher import HINTS

BATCH = 48
# A speaker's weight is the square root of the amount of speech, times a factor by the first word of the name: studio
# prompts count more than acted dialogues, a whole cast more than one of its actors.
IMPORTANCE = {
    "cast": 2.0,
    "dialogues": 0.6,
    "espeak": 0.8,
    "flite": 0.8,
    "kokoro": 1.8,
    "letters": 0.4,
    "piper": 1.2,
    "prompts": 1.5,
    "taunts": 0.7,
    "telephone": 1.2,
    "words": 0.7,
}
# Closures and lip-to-teeth are the most noticeable.
CLASS_WEIGHTS = {"PP": 1.5, "FF": 1.6}
# Weight of the teacher's hints, which are not part of the shipped graph. They keep apart sounds that only look alike
# (README, "How training was chosen").
HINT_WEIGHT = 1.0
PEAK_RATE = 2e-3
MEMORY = 0.998


def losses(answers, shares, class_weights, group_matrix, openness):
    shares, opened, known = targets(shares, openness)
    logits, weights = answers[..., :VISEME_COUNT][:, known], (shares * class_weights).sum(-1)[:, known]
    said = torch.log_softmax(logits, -1)
    shares = shares[:, known]
    smooth = 0.98 * shares + 0.02 / VISEME_COUNT
    by_viseme = -(weights * (smooth * said).sum(-1)).mean()
    groups = torch.log(torch.softmax(logits, -1) @ group_matrix + 1e-6)
    by_group = -(weights * ((shares @ group_matrix) * groups).sum(-1)).mean()
    binary = nn.functional.binary_cross_entropy_with_logits
    closing = binary(answers[..., VISEME_COUNT][:, known], shares[..., VISEMES.index("PP")], pos_weight=torch.tensor(1.5))
    biting = binary(answers[..., VISEME_COUNT + 1][:, known], shares[..., VISEMES.index("FF")], pos_weight=torch.tensor(1.5))
    opening = nn.functional.mse_loss(answers[..., VISEME_COUNT + 2][:, known], opened[:, known])
    return by_viseme + by_group + 2 * closing + biting + 2 * opening


def hint_loss(said, hints):
    """Mean square of deviations; `said` is [B, n, 2 × HINTS]."""
    wanted, known = hint_targets(hints)
    return nn.functional.mse_loss(said.reshape(wanted.shape)[known], wanted[known])


def load_sources(folder: str, held: set[str]):
    sources = []
    for path in sorted(glob.glob(f"{folder}/features/*.npz")):
        name = os.path.basename(path)[: -len(".npz")]
        if name.removesuffix(REST) not in held:
            roll = dict(np.load(path))
            for kind in ("labels", "taught", "hints"):
                better = path.replace(".npz", f".{kind}.npy")
                if os.path.exists(better):
                    roll[kind] = np.load(better)
            if len(roll["labels"]) < 2 * CROP:
                continue
            sources.append((IMPORTANCE.get(name.split("-")[0], 1.0) * math.sqrt(len(roll["labels"])), roll))
            print(name, len(roll["labels"]) // 6000, "min", flush=True)
    return sources


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--hold", default="", help="speakers kept out, comma-separated")
    parser.add_argument("--start", default="", help="checkpoint to go on from")
    parser.add_argument("--rate", type=float, default=PEAK_RATE, help="highest rate of learning")
    parser.add_argument("--out", default="lip-sync")
    options = parser.parse_args()
    held = set(options.hold.split(",")) - {""}
    torch.set_num_threads(os.cpu_count() or 1)
    torch.manual_seed(0)
    batches = Batches(load_sources(options.folder, held), np.load(f"{options.folder}/features/not-speech.npy"), BATCH, int(time.time()) % 1000)

    network, hinting = LipSyncNetwork(), nn.Linear(WIDTH, 2 * HINTS)
    if options.start:
        checkpoint = torch.load(options.start)
        network.load_state_dict(checkpoint["weights"])
        hinting.load_state_dict(checkpoint.get("hinting", hinting.state_dict()))
    peak = options.rate
    optimiser = torch.optim.AdamW([*network.parameters(), *hinting.parameters()], lr=peak, weight_decay=0.01)
    class_weights = torch.tensor([CLASS_WEIGHTS.get(viseme, 1.0) for viseme in VISEMES])
    group_matrix = nn.functional.one_hot(torch.tensor(GROUP_OF_VISEME), 6).float()
    openness = torch.tensor(OPENNESS[GROUP_OF_VISEME], dtype=torch.float32)
    average = {name: value.clone() for name, value in network.state_dict().items()}
    silence = network.silence(BATCH)
    started, step, running, saved = time.time(), 0, None, time.time()

    def save():
        torch.save({"weights": average, "hinting": hinting.state_dict(), "step": step, "held": sorted(held)}, f"{options.folder}/{options.out}.pt")

    # The next batch is prepared during the step.
    drawing = ThreadPoolExecutor(1)
    ahead = drawing.submit(batches.draw)
    while (spent := (time.time() - started) / 60 / options.minutes) < 1:
        rate = peak * min(1.0, (step + 1) / 100) * (0.01 + 0.99 * (1 + math.cos(math.pi * spent)) / 2)
        for group in optimiser.param_groups:
            group["lr"] = rate
        features, shares, hints = ahead.result()
        ahead = drawing.submit(batches.draw)
        heard, _ = network.listen(features, silence)
        loss = losses(network.answers(heard), shares, class_weights, group_matrix, openness) + HINT_WEIGHT * hint_loss(hinting(heard), hints)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        keep = min(MEMORY, step / (step + 20))
        for name, value in network.state_dict().items():
            average[name].mul_(keep).add_(value, alpha=1 - keep)
        running = loss.item() if running is None else 0.99 * running + 0.01 * loss.item()
        step += 1
        if step % 100 == 0:
            print(json.dumps({"step": step, "minutes": round((time.time() - started) / 60, 1), "loss": round(running, 3)}), flush=True)
        if time.time() - saved > 240:
            save()
            saved = time.time()
    save()


if __name__ == "__main__":
    main()
