#!/usr/bin/env python3
"""Renders videos of aligned speech with the avatar command, and checks in the frames that the mouth matches the speech.

python check_mouth.py split.jsonl --portrait face.png [--json] [--limit 90]

python check_mouth.py split.jsonl --film film.mp4 --gap 0

python check_mouth.py split.jsonl --film happy.mp4 --rest neutral.jsonl --gap 0

split.jsonl has one recording per line: {"wav": "a.wav", "phones": [["M", 0.1, 0.18], ...]}, with ARPABET phones or this
project's mouth classes, times in s, and wav relative to the list. All recordings become one video, with a gap of
silence before each. --film checks an existing video of the same recordings with the same gap. --rest takes the mouth at
rest from the rows of another film of the same portrait (--rows): an expression opens or shuts the mouth even in silence.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np

from face_tracker import FaceTracker
from measure_faces import measured

FRAME_S = 0.04
# A gap of 1.4 mm between the lips is not visible in a call, on a face with a pupil distance of 63 mm.
SHUT_ABOVE_REST = 1.4 / 63
TOLERANCE_S = 0.06
FAR_FROM_CLOSURE_S = 0.15
# For F and V the lower lip is at its rest height, near the edge of the upper teeth; 1.9 mm lower it does not touch
# them.
AT_TEETH_BELOW_REST = 1.9 / 63
BILABIAL, LABIODENTAL = {"P", "B", "M", "PP"}, {"F", "V", "FF"}
ROUND, SPREAD = {"UW", "OW", "W", "UH", "AO", "U", "O"}, {"IY", "EY", "IH", "EH", "I", "E"}
OPEN = {"AA", "AE", "AH", "AY", "aa"}
SILENCE = {"SIL", "SP", "<sil>", "(NULL)", "+NSN+", "+SPN+"}


def read_split(path: Path, limit_s: float, gap_s: float) -> tuple[np.ndarray, int, list]:
    """Joins all recordings: int16 samples, rate, phones [(name, start s, end s)] on the common timeline."""
    pieces, phones, rate, at = [], [], 0, gap_s
    for line in path.read_text().splitlines():
        row = json.loads(line)
        with wave.open(str(path.parent / row["wav"])) as sound:
            if rate not in (0, sound.getframerate()) or sound.getnchannels() != 1 or sound.getsampwidth() != 2:
                raise SystemExit(f"{row['wav']}: all recordings must be mono, 16 bit and of one rate")
            rate = sound.getframerate()
            samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
        if at + len(samples) / rate > limit_s:
            break
        pieces += [np.zeros(int(gap_s * rate), np.int16), samples]
        at = sum(map(len, pieces)) / rate - len(samples) / rate
        phones += [(name.rstrip("012"), at + start, at + end) for name, start, end, *_ in row["phones"]]
        at += len(samples) / rate + gap_s
    if not pieces:
        raise SystemExit(f"{path}: the first recording is longer than --limit")
    pieces.append(np.zeros(int(gap_s * rate), np.int16))
    return np.concatenate(pieces), rate, phones


def closures(phones: list) -> list:
    """Times at which the lips are shut; adjacent ones are merged."""
    found = []
    for name, start, end in phones:
        if name not in BILABIAL:
            continue
        if found and start - found[-1][1] < 0.005:
            found[-1][1] = end
        else:
            found.append([start, end])
    return found


def area_under_curve(low: np.ndarray, high: np.ndarray) -> float:
    """Probability that a value of `low` is below a value of `high`."""
    if not len(low) or not len(high):
        return float("nan")
    return float(((low[:, None] < high[None]) + 0.5 * (low[:, None] == high[None])).mean())


def measure_of(rows: list, key: str) -> np.ndarray:
    """A measure of each frame; NaN where no face was found."""
    return np.array([row.get(key, np.nan) if row["found"] else np.nan for row in rows], float)


def spoken_frames(count: int, phones: list) -> np.ndarray:
    """Which frames show speech, with one frame before and after."""
    time = (np.arange(count) + 0.5) * FRAME_S
    speaks = np.zeros(count, bool)
    for name, start, end in phones:
        if name not in SILENCE:
            speaks |= (time >= start - FRAME_S) & (time < end + FRAME_S)
    if speaks.all():
        raise SystemExit("there is no silence in which to see the mouth at rest")
    return speaks


def metrics(rows: list, phones: list, rest_rows: list) -> dict:
    time = (np.arange(len(rows)) + 0.5) * FRAME_S
    aperture, width, lower = measure_of(rows, "aperture"), measure_of(rows, "mouth_width"), measure_of(rows, "lower_lip")
    speaks = spoken_frames(len(rows), phones)
    is_calm = ~spoken_frames(len(rest_rows), phones)
    rest = float(np.nanmedian(measure_of(rest_rows, "aperture")[is_calm]))
    rest_lower = float(np.nanmedian(measure_of(rest_rows, "lower_lip")[is_calm]))
    shut = aperture <= rest + SHUT_ABOVE_REST
    shut_near = lambda at: bool(shut[np.abs(time - at) <= TOLERANCE_S].any())  # noqa: E731

    events = [(start + end) / 2 for start, end in closures(phones)]
    seen = np.mean([shut_near(at) for at in events]) if events else float("nan")
    in_speech = lambda at: any(n not in SILENCE and s <= at < e for n, s, e in phones)  # noqa: E731
    free = [
        at
        for at in time
        if all(in_speech(at + shift) for shift in (-0.075, 0, 0.075)) and all(abs(at - e) >= FAR_FROM_CLOSURE_S for e in events)
    ]
    chance = float(np.mean([shut_near(at) for at in free])) if free else 0.0

    def during(names: set, series: np.ndarray, least_s: float) -> np.ndarray:
        found = []
        for name, start, end in phones:
            if name in names and end - start >= least_s:
                middle = int(((start + end) / 2) / FRAME_S)
                if middle < len(series) and np.isfinite(series[middle]):
                    found.append(series[middle])
        return np.array(found)

    def beside_labiodentals(series: np.ndarray) -> np.ndarray:
        """Difference between each F or V and the mean of its neighbouring phones, if these are neither labial nor
        silence."""
        found = []
        others = BILABIAL | LABIODENTAL | SILENCE
        for before, (name, start, end), after in zip(phones, phones[1:], phones[2:]):
            beside = [phone for phone in (before, after) if phone[0] not in others]
            if name in LABIODENTAL and end - start >= 0.04 and beside:
                middle = lambda s, e: series[min(int((s + e) / 2 / FRAME_S), len(series) - 1)]  # noqa: E731
                found.append(middle(start, end) - np.mean([middle(s, e) for _, s, e in beside]))
        return np.array(found)

    moves = np.sign(np.where(np.abs(np.diff(aperture)) < 0.008, 0, np.diff(aperture)))
    moves, where = moves[moves != 0], np.flatnonzero(moves != 0)
    turns = sum(1 for k in range(1, len(moves)) if moves[k] != moves[k - 1] and speaks[where[k]])
    open_wide = aperture > rest + 2 * SHUT_ABOVE_REST
    blinks = sum(1 for k in range(1, len(rows) - 1) if open_wide[k] and shut[k - 1] and shut[k + 1])
    spoken_s = float(speaks.sum() * FRAME_S)
    return {
        "frames": len(rows),
        "found": float(np.mean([row["found"] for row in rows])),
        "closures": len(events),
        "closures_seen": float(seen),
        "chance": chance,
        "closures_seen_less_chance": float((seen - chance) / (1 - chance)),
        "shut_far_from_closures": float(np.mean([shut[int(at / FRAME_S)] for at in free])) if free else float("nan"),
        "round_narrower_than_spread_auc": area_under_curve(during(ROUND, width, 0.06), during(SPREAD, width, 0.06)),
        "rounds": len(during(ROUND, width, 0.06)),
        "spreads": len(during(SPREAD, width, 0.06)),
        "labiodentals": len(during(LABIODENTAL, aperture, 0.04)),
        "labiodental_lower_lip_below_rest": float(np.median(during(LABIODENTAL, lower, 0.04)) - rest_lower),
        "open_vowel_lower_lip_below_rest": float(np.median(during(OPEN, lower, 0.06)) - rest_lower),
        "labiodental_aperture": float(np.median(during(LABIODENTAL, aperture, 0.04)) - rest),
        "labiodental_lip_at_teeth": float(np.mean(during(LABIODENTAL, lower, 0.04) <= rest_lower + AT_TEETH_BELOW_REST)),
        "labiodental_narrower_than_neighbours_by": float(-np.nanmedian(beside_labiodentals(aperture))),
        "turns_per_s": turns / spoken_s,
        "single_frame_openings_per_minute": 60 * blinks / spoken_s,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("split", type=Path)
    parser.add_argument("--portrait", type=Path, help="image or .imx bundle")
    parser.add_argument("--film", type=Path, help="check this film instead of making one")
    parser.add_argument("--keep", type=Path, help="keep the film under this name")
    parser.add_argument("--gap", type=float, default=0.6, help="seconds of silence before each recording (default 0.6)")
    parser.add_argument("--limit", type=float, default=90, help="seconds of film at most (default 90)")
    parser.add_argument("--rows", type=Path, help="keep what was measured of each frame, as JSON lines")
    parser.add_argument("--rest", type=Path, help="rows of a film of the same portrait at rest (default: the film itself)")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.film and not arguments.portrait:
        parser.error("give --portrait or --film")
    samples, rate, phones = read_split(arguments.split, arguments.limit, arguments.gap)
    with tempfile.TemporaryDirectory() as folder:
        film = arguments.film or arguments.keep or Path(folder) / "film.mp4"
        if not arguments.film:
            sound = Path(folder) / "speech.wav"
            with wave.open(str(sound), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(rate)
                file.writeframes(samples.tobytes())
            avatar = Path(__file__).resolve().parents[2] / "cli" / "avatar.mjs"
            subprocess.run(["node", avatar, "render", arguments.portrait, sound, "-o", film], check=True, stdout=subprocess.DEVNULL)
        tracker = FaceTracker()
        rows = list(measured(film, tracker))
        tracker.close()
    if arguments.rows:
        arguments.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rest_rows = [json.loads(line) for line in arguments.rest.read_text().splitlines()] if arguments.rest else rows
    result = metrics(rows, phones, rest_rows)
    if arguments.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name.replace('_', ' '):36} {value:.3f}" if isinstance(value, float) else f"{name.replace('_', ' '):36} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
