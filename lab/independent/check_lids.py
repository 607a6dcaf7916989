#!/usr/bin/env python3
"""Checks shut eyes of every portrait in a folder that render-blinks.ts wrote: python check_lids.py OUT

Prints one row per portrait, the worse eye where nothing else is said:
left    share of the eyes' opening that the tracker still reads, mean of both (wanted: .30 at most)
light   levels by which the lid is lighter (darker if negative) than the skin above and below the eye (8 at most)
column  the same in nine columns, the worst of both eyes' (8 at most): patches that a mean over the lid evens out
colour  saturation of the lid less that of this skin
under   greatest change of brightness more than 2 px under the opening (2 at most)
frame   the same for pixels as dark as a frame around the eye; means something for faces with glasses only
ball    share of the eyeball's pixels (those that a turn of gaze changes while the eyes are open) that a turn of gaze
        still changes while they are shut (.05 at most)
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np

from face_tracker import FaceTracker, measure

LIDS = (
    ((33, 246, 161, 160, 159, 158, 157, 173, 133), (33, 7, 163, 144, 145, 153, 154, 155, 133)),
    ((362, 398, 384, 385, 386, 387, 388, 466, 263), (362, 382, 381, 380, 374, 373, 390, 249, 263)),
)
COLUMNS = 9
GAZES = (("left", "right"), ("up", "down"))
# A change of this many levels is seen.
SEEN = 6
LUMA = np.array([0.299, 0.587, 0.114])


def places(points: np.ndarray, upper: tuple, lower: tuple, shape: tuple) -> tuple:
    """Every pixel in the eye's own frame (u 1 at its corners, v down), its lids' margins there, and half its width in px."""
    left, right = points[upper[0]], points[upper[-1]]
    half = float(np.linalg.norm(right - left)) / 2
    across = (right - left) / (2 * half)
    down = np.array([-across[1], across[0]])
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    offset = np.stack([columns, rows], axis=-1) - (left + right) / 2
    u, v = offset @ across / half, offset @ down / half

    def margin(indices: tuple) -> np.ndarray:
        local = points[list(indices)] - (left + right) / 2
        return np.interp(u, local @ across / half, local @ down / half)

    return u, v, margin(upper), margin(lower), half


def judge_eye(points: np.ndarray, lids: tuple, opened: np.ndarray, shut: np.ndarray) -> dict:
    u, v, upper, lower, half = places(points, *lids, opened.shape)
    middle = np.abs(u) < 0.7
    mean = lambda mask: shut[mask].mean(axis=0)  # noqa: E731
    lid = mean(middle & (v > upper + 0.02) & (v < lower - 0.12))
    below = mean(middle & (v > lower + 0.12) & (v < lower + 0.42))
    above = mean(middle & (v > upper - 0.6) & (v < upper - 0.25))
    low, high = sorted((below @ LUMA, above @ LUMA))
    light = max(0.0, lid @ LUMA - high) - max(0.0, low - lid @ LUMA)
    saturation = lambda colour: (colour.max() - colour.min()) / max(20.0, colour.max())  # noqa: E731
    change = np.abs((shut - opened) @ LUMA)
    under = (np.abs(u) < 0.95) & (v > lower + 0.05 * (lower - upper) + 2 / half) & (v < lower + 1)
    dark = (opened @ LUMA < 0.4 * (below @ LUMA)) & (np.abs(u) < 1.6) & (v > upper - 1.2) & (v < lower + 2)
    frame = dark & ((v < upper - 0.3) | (v > lower + 0.2) | (np.abs(u) > 1.45))
    return {
        "light": light,
        "column": judge_columns(u, v, upper, lower, shut @ LUMA, opened @ LUMA),
        "colour": saturation(lid) - (saturation(below) + saturation(above)) / 2,
        "under": change[under].max(initial=0),
        "frame": change[frame].max(initial=0),
    }


def judge_columns(u: np.ndarray, v: np.ndarray, upper: np.ndarray, lower: np.ndarray, shut: np.ndarray, opened: np.ndarray) -> float:
    """Of nine columns, the most by which a lid differs from the skin below the eye and above it, as the open eye shows
    them: a shut lid may have covered the skin above with its own colour. Medians, because lashes cross the columns."""
    worst = 0.0
    edges = np.linspace(-0.9, 0.9, COLUMNS + 1)
    for left, right in zip(edges, edges[1:]):
        inside = (u >= left) & (u < right)
        lid = inside & (v > upper + 0.02) & (v < lower - 0.12)
        below = inside & (v > lower + 0.12) & (v < lower + 0.42)
        above = inside & (v > upper - 0.6) & (v < upper - 0.25)
        if not (lid.any() and below.any() and above.any()):
            continue
        low, high = sorted((np.median(opened[below]), np.median(opened[above])))
        level = np.median(shut[lid])
        off = max(0.0, level - high) - max(0.0, low - level)
        worst = max(worst, off, key=abs)
    return worst


def share_of_ball(frames: dict) -> float:
    """Of the pixels that turns of gaze change in open eyes, the share that they change in shut ones."""
    grey = {pose: frame @ LUMA for pose, frame in frames.items()}
    moved = lambda prefix: np.max([np.abs(grey[prefix + a] - grey[prefix + b]) for a, b in GAZES], axis=0) > SEEN  # noqa: E731
    opened = moved("")
    return float((opened & moved("shut-")).sum() / max(1, opened.sum()))


def main() -> int:
    tracker = FaceTracker()
    rows = []
    print("portrait                  left  light  column colour  under  frame   ball")
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        points = np.array(json.loads(path.read_text()))
        read = lambda pose: cv2.imread(str(path.with_suffix(f".{pose}.png")))[..., ::-1]  # noqa: B023, E731
        images = [read(pose) for pose in ("open", "shut")]
        opened, shut = (image.astype(float) for image in images)
        ball = share_of_ball({f"{lids}{gaze}": read(f"{lids}{gaze}") for lids in ("", "shut-") for pair in GAZES for gaze in pair})
        eyes = [judge_eye(points, lids, opened, shut) for lids in LIDS]
        worst = {key: max((eye[key] for eye in eyes), key=abs) for key in eyes[0]}
        meshes = [tracker.points(image) for image in images]
        left = float("nan")
        if all(mesh is not None for mesh in meshes):
            was, now = (measure(mesh, image) for mesh, image in zip(meshes, images))
            left = float(np.mean([now[eye] / was[eye] for eye in ("eye_right", "eye_left")]))
        rows.append({"left": left, **worst, "ball": ball})
        numbers = "  ".join(f"{value:5.2f}" if key in ("left", "colour", "ball") else f"{value:5.0f}" for key, value in rows[-1].items())
        print(f"{path.stem:24}  {numbers}")
    tracker.close()
    print(f"shut: {sum(row['left'] <= 0.3 for row in rows)} of {len(rows)}, lit as the skin: ", end="")
    print(f"{sum(abs(row['light']) <= 8 for row in rows)}, in every column: {sum(abs(row['column']) <= 8 for row in rows)}, ", end="")
    print(f"still under the eye: {sum(row['under'] <= 2 for row in rows)}, ball covered: {sum(row['ball'] <= 0.05 for row in rows)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
