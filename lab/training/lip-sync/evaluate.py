"""Measures how well a network's mouth agrees with aligned speech: the metrics of the model card.

usage: evaluate.py ONNX ALIGNED.jsonl...

Streams each recording in blocks of 40 ms through the exported graph, takes one viseme per video frame (25 fps,
look-ahead removed), and compares it on a 100 Hz grid at offset 0.
"""

import json
import sys
import time

import numpy as np
import onnxruntime
from scipy.io import wavfile

from network import CONTEXT, HOP, SAMPLE_RATE_HZ
from phones import BILABIALS, VISEMES, viseme_labels

GROUPS = ["silent", "bilabial", "labial", "narrow", "open", "round"]
# The mouth group of each viseme, in the order of VISEMES.
GROUP_OF_VISEME = np.array([0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 3, 5, 5])
OPENNESS = np.array([0, 0, 0.1, 0.3, 1.0, 0.5])
# Delay of a block's answer in video frames: 80 ms after the end of the frame's own 40 ms.
LATE_FRAMES = 2
# Mean closure of a video frame's halves from which its lips count as shut, as in likeliestViseme of src/face/lip-sync. Chosen
# on the validation speaker.
CLOSED_ABOVE = 0.5


class StreamingNetwork:
    """The graph as a live session runs it: one 40 ms block in, the answer for one video frame out."""

    def __init__(self, path: str):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(path, options)
        self._states = [i for i in self._session.get_inputs() if i.name != "pcm"]
        self._names = ["viseme", "closure"] + [state.name + "_out" for state in self._states]

    def outputs(self, samples: np.ndarray) -> np.ndarray:
        """float32 [video frames, 16]: mean posteriors of the two halves, then their mean closure."""
        sound = samples.astype(np.float32) / 32768
        hops = -(-len(sound) // HOP) + LATE_FRAMES
        sound = np.pad(sound, (CONTEXT, hops * HOP - len(sound)))
        states = {s.name: np.zeros(s.shape, np.float32) for s in self._states}
        outputs = np.zeros((hops, len(VISEMES) + 1), np.float32)
        for hop in range(hops):
            pcm = sound[None, hop * HOP : hop * HOP + HOP + CONTEXT]
            viseme, closure, *states_out = self._session.run(self._names, {"pcm": pcm, **states})
            states = {s.name: value for s, value in zip(self._states, states_out)}
            outputs[hop, :-1], outputs[hop, -1] = viseme[0].mean(0), closure[0].mean()
        return outputs[LATE_FRAMES:]

    def visemes(self, samples: np.ndarray) -> np.ndarray:
        """One viseme index per video frame."""
        return decide(self.outputs(samples), CLOSED_ABOVE)


def decide(outputs: np.ndarray, closed_above: float) -> np.ndarray:
    """Viseme indices int [video frames]: shut if the closure says so, else the likeliest viseme of the likeliest group."""
    posterior = outputs[:, : len(VISEMES)].copy()
    posterior[:, 1] = 0
    groups = posterior @ np.eye(len(GROUPS))[GROUP_OF_VISEME]
    best = np.where(GROUP_OF_VISEME == groups.argmax(1)[:, None], posterior, -1).argmax(1)
    return np.where(outputs[:, -1] > closed_above, 1, best)


def spans(mask: np.ndarray) -> list[tuple[float, float]]:
    """Begin and end, in s, of each run of a 100 Hz mask."""
    edges = np.diff(np.r_[0, mask.astype(int), 0])
    return list(zip(np.where(edges == 1)[0] / 100, np.where(edges == -1)[0] / 100))


def matched(reference, found, tolerance_s: float) -> int:
    """Number of pairs of events within a tolerance, by their middles, nearest first, each event used once."""
    pairs = sorted(
        (abs(sum(a) - sum(b)) / 2, i, j) for i, a in enumerate(reference) for j, b in enumerate(found) if abs(sum(a) - sum(b)) / 2 <= tolerance_s
    )
    used_reference, used_found = set(), set()
    for _, i, j in pairs:
        if i not in used_reference and j not in used_found:
            used_reference.add(i)
            used_found.add(j)
    return len(used_reference)


def closure_events(phones: list) -> list[list[float]]:
    events = []
    for phone, begin, end in phones:
        if phone.rstrip("012") in BILABIALS:
            if events and events[-1][1] >= begin - 0.005:
                events[-1][1] = end
            else:
                events.append([begin, end])
    return events


def score(rows: list, predict) -> dict:
    """Metrics over aligned recordings; `predict` maps int16 samples to one viseme per video frame."""
    confusion, openness = np.zeros((6, 6), int), ([], [])
    events = {"reference": 0, "found": 0, 0.04: 0, 0.08: 0}
    seconds, cpu = 0.0, 0.0
    for row in rows:
        samples = row["samples"] if "samples" in row else wavfile.read(row["wav"])[1]
        reference = GROUP_OF_VISEME[viseme_labels(row["phones"], row["seconds"])]
        started = time.process_time()
        visemes = predict(samples)
        cpu += time.process_time() - started
        seconds += len(samples) / SAMPLE_RATE_HZ
        found = GROUP_OF_VISEME[visemes[np.minimum(np.arange(len(reference)) // 4, len(visemes) - 1)]]
        np.add.at(confusion, (reference, found), 1)
        smooth = np.ones(8) / 8
        openness[0].append(np.convolve(OPENNESS[reference], smooth, "same"))
        openness[1].append(np.convolve(OPENNESS[found], smooth, "same"))
        closures, seen = closure_events(row["phones"]), spans(found == 1)
        events["reference"] += len(closures)
        events["found"] += len(seen)
        for tolerance in (0.04, 0.08):
            events[tolerance] += matched(closures, seen, tolerance + 1e-9)
    right = np.diag(confusion)
    f1 = 2 * right / np.maximum(1, confusion.sum(0) + confusion.sum(1))
    pair = max(1, events["reference"] + events["found"])
    return {
        "accuracy": right.sum() / confusion.sum(),
        "macro_f1": f1.mean(),
        "f1": dict(zip(GROUPS, f1.round(3).tolist())),
        "closure_f1_40ms": 2 * events[0.04] / pair,
        "closure_f1_80ms": 2 * events[0.08] / pair,
        "closures": (events["reference"], events["found"]),
        "openness_r": float(np.corrcoef(np.concatenate(openness[0]), np.concatenate(openness[1]))[0, 1]),
        "cpu_ms_per_s": 1000 * cpu / seconds,
        "seconds": seconds,
    }


def main(model: str, references: list[str]) -> None:
    network = StreamingNetwork(model)
    for path in references:
        rows = [json.loads(line) for line in open(path)]
        print(json.dumps({"references": path, "visemes": len(VISEMES), **score(rows, network.visemes)}, default=float))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
