"""Trains the hearing network. usage: train.py FOLDER MINUTES [--hold it] [--from CHECKPOINT] [--out NAME]"""

import argparse
import json
import multiprocessing
import time

import torch
from torch import nn

from corpora import LANGUAGES
from dataset import Crops, is_closure, is_labial, load_utterances
from evaluate import GROUP_OF_VISEME, OPENNESS
from network import HearingNetwork
from phones import VISEMES

BATCH = 24
# Half natural speech: its closures are softer than a synthesiser's. Closures and lip-to-teeth weigh more, for they are what people notice.
SHARES = {"natural": 0.55, "flite": 0.33, "espeak": 0.12}
CLASS_WEIGHTS = {"sil": 0.8, "PP": 1.6, "FF": 1.8}
PEAK_RATE = 2e-3


def produce(sources, seed, queue):
    """Fills a queue with batches, in a process of its own."""
    import torch as torch_

    torch_.set_num_threads(1)
    import numpy as np

    crops = Crops(sources, seed)
    while True:
        sounds, labels = zip(*(crops.draw() for _ in range(BATCH)))
        queue.put((np.stack(sounds), np.stack(labels)))


def losses(outputs, labels, class_weights, group_matrix, openness):
    viseme, closure, labial, opening = outputs
    known = labels >= 0
    target = labels.clamp(min=0)
    logits, flat = viseme[known], target[known]
    by_viseme = nn.functional.cross_entropy(logits, flat, weight=class_weights, label_smoothing=0.05)
    groups = torch.log(torch.softmax(logits, -1) @ group_matrix + 1e-6)
    by_group = nn.functional.nll_loss(groups, group_matrix.argmax(1)[flat])
    binary = nn.functional.binary_cross_entropy_with_logits
    closing = binary(closure[known], is_closure(flat).float(), pos_weight=torch.tensor(2.0))
    biting = binary(labial[known], is_labial(flat).float(), pos_weight=torch.tensor(3.0))
    opened = nn.functional.mse_loss(opening[known], openness[flat])
    return by_viseme + by_group + closing + 0.5 * biting + opened


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("minutes", type=float)
    parser.add_argument("--hold", default="", help="languages kept out, comma-separated")
    parser.add_argument("--start", default="", help="checkpoint to go on from")
    parser.add_argument("--out", default="hearing")
    options = parser.parse_args()
    held = set(options.hold.split(",")) - {""}
    natural = [load_utterances(f"{options.folder}/natural-{language}.jsonl") for language in LANGUAGES if language not in held]
    sources = [(SHARES["natural"] / len(natural), speaker) for speaker in natural]
    sources += [(SHARES[engine], load_utterances(f"{options.folder}/{engine}.jsonl")) for engine in ("flite", "espeak")]
    queue = multiprocessing.Queue(6)
    producer = multiprocessing.Process(target=produce, args=(sources, int(time.time()) % 1000, queue), daemon=True)
    producer.start()

    torch.manual_seed(0)
    torch.set_num_threads(1)
    network = HearingNetwork()
    if options.start:
        network.load_state_dict(torch.load(options.start)["weights"])
    optimiser = torch.optim.AdamW(network.parameters(), lr=PEAK_RATE, weight_decay=0.01)
    class_weights = torch.tensor([CLASS_WEIGHTS.get(viseme, 1.0) for viseme in VISEMES])
    group_matrix = nn.functional.one_hot(torch.tensor(GROUP_OF_VISEME), 6).float()
    openness = torch.tensor(OPENNESS[GROUP_OF_VISEME], dtype=torch.float32)
    average = {name: value.clone() for name, value in network.state_dict().items()}
    started, step, running, saved = time.time(), 0, None, 0.0
    while (spent := (time.time() - started) / 60 / options.minutes) < 1:
        warm = min(1.0, (step + 1) / 200)
        rate = PEAK_RATE * (0.35 if options.start else 1) * warm * (0.02 + 0.98 * (1 - spent) ** 1.2)
        for group in optimiser.param_groups:
            group["lr"] = rate
        sounds, labels = (torch.from_numpy(part) for part in queue.get())
        *outputs, _, _, _ = network(sounds, *network.silence(len(sounds)))
        loss = losses(outputs, labels, class_weights, group_matrix, openness)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        keep = min(0.998, step / (step + 20))
        for name, value in network.state_dict().items():
            average[name].mul_(keep).add_(value, alpha=1 - keep) if value.is_floating_point() else None
        running = loss.item() if running is None else 0.99 * running + 0.01 * loss.item()
        step += 1
        if step % 100 == 0:
            print(json.dumps({"step": step, "minutes": round((time.time() - started) / 60, 1), "loss": round(running, 3)}), flush=True)
        if time.time() - saved > 240:
            torch.save({"weights": average, "step": step, "held": sorted(held)}, f"{options.folder}/{options.out}.pt")
            saved = time.time()
    torch.save({"weights": average, "step": step, "held": sorted(held)}, f"{options.folder}/{options.out}.pt")
    producer.terminate()


if __name__ == "__main__":
    main()
