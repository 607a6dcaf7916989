#!/usr/bin/env python3
"""Checks the corners of open mouths in a folder that render-mouths.ts wrote: python check_corners.py OUT

One row per portrait and pose (AA, OO), the worse corner. Along each column of the mouth the darkest pixel between the lips counts; from
the middle of the mouth to a corner this goes from the dark of the cavity to that of the line between the lips at rest.
step    share of that way which lies within .05 mouth widths, about 4 pixels of a frame: near 1 for a black triangle (HARD at most)
tip     how dark the last .04 mouth widths before the end of the cavity are: 1 like its middle, 0 like the lips (DARK at most)
edge    the greatest change of brightness from pixel to pixel in the outer quarter of the opening, as a share of the way from the
        cavity to the lips, with pixels of one size in the face at every size of the image: near 1 for an edge with steps (SHARP at most)
A corner with too high a step and tip, or too high an edge, is hard.
"""

import json
import sys
from pathlib import Path

import cv2
import numpy as np

CORNERS = (61, 291)
LUMA = np.array([0.299, 0.587, 0.114])
# Mouths are looked at with this many pixels across, at every size of the image.
MOUTH_PX = 160
HARD, DARK, SHARP = 0.55, 0.6, 0.5


def straightened(image: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Brightness around the mouth: its corners lie on one row, MOUTH_PX apart, with as much again on both sides and below."""
    left, right = points[CORNERS[0]], points[CORNERS[1]]
    scale = MOUTH_PX / np.linalg.norm(right - left)
    across = (right - left) * scale / np.linalg.norm(right - left)
    turn = np.array([[across[0], across[1]], [-across[1], across[0]]])
    shift = np.array([0.5 * MOUTH_PX, 0.5 * MOUTH_PX]) - turn @ left
    size = (2 * MOUTH_PX, int(1.7 * MOUTH_PX))
    return cv2.warpAffine((image @ LUMA).astype(np.float32), np.hstack([turn, shift[:, None]]), size, flags=cv2.INTER_LINEAR)


def judge(grey: np.ndarray, rest: np.ndarray) -> dict | None:
    """The worse corner of one mouth; None where no cavity is seen."""
    corner_row = MOUTH_PX // 2
    rows = slice(corner_row - MOUTH_PX // 3, corner_row + int(0.8 * MOUTH_PX))
    middle = MOUTH_PX
    # Lips at rest are as light as their line: a crease at a corner is no cavity.
    mouth = rest[corner_row - MOUTH_PX // 12 : corner_row + MOUTH_PX // 8, middle - MOUTH_PX // 2 : middle + MOUTH_PX // 2]
    lips = float(np.percentile(mouth, 5))
    opened = np.where(grey[rows] < rest[rows] - 4, grey[rows], 255)
    darkest = opened.min(axis=0)
    cavity = float(darkest[middle - MOUTH_PX // 8 : middle + MOUTH_PX // 8].min())
    way = lips - cavity
    if way < 15:
        return None
    dark = np.clip((lips - darkest) / way, 0, 1)
    worst = {"step": 0.0, "tip": 0.0, "edge": 0.0}
    reach = max(2, round(0.05 * MOUTH_PX))
    tip = round(0.04 * MOUTH_PX)
    across, down = np.gradient(grey[rows], axis=1), np.gradient(grey[rows], axis=0)
    slope = np.hypot(across, down) / way
    for side in (-1, 1):
        profile = dark[middle:] if side > 0 else dark[middle::-1]
        shut = np.flatnonzero(profile[MOUTH_PX // 8 :] < 0.15)
        end = MOUTH_PX // 8 + (int(shut[0]) if len(shut) else 0)
        padded = np.concatenate([profile, np.zeros(reach)])
        step = max(padded[at] - padded[at + reach] for at in range(end // 2, end + 1))
        columns = [middle + side * at for at in range(int(0.75 * end), end + 1)]
        hole = opened[:, columns] < lips - 0.25 * way
        near = cv2.dilate(hole.astype(np.uint8), np.ones((3, 3))) > 0
        corner = {
            "step": step,
            "tip": float(profile[max(0, end - tip) : end + 1].mean()),
            "edge": float(slope[:, columns][near].max(initial=0)),
        }
        worst = max(worst, corner, key=lambda one: one["step"] + one["tip"])
    return worst


def is_hard(corner: dict) -> bool:
    return (corner["step"] > HARD and corner["tip"] > DARK) or corner["edge"] > SHARP


def main() -> int:
    read = lambda path: cv2.imread(str(path))[..., ::-1].astype(float)  # noqa: E731
    hard = {"AA": 0, "OO": 0}
    seen = {"AA": 0, "OO": 0}
    either = set()
    portraits = set()
    print("portrait                    pose   step    tip   edge")
    for path in sorted(Path(sys.argv[1]).glob("*.json")):
        points = np.array(json.loads(path.read_text()))
        rest = straightened(read(path.with_suffix(".rest.png")), points)
        for pose in hard:
            corner = judge(straightened(read(path.with_suffix(f".{pose}.png")), points), rest)
            if corner is None:
                print(f"{path.stem:26}  {pose}     no cavity")
                continue
            seen[pose] += 1
            portraits.add(path.stem)
            hard[pose] += is_hard(corner)
            if is_hard(corner):
                either.add(path.stem)
            numbers = "  ".join(f"{value:5.2f}" for value in corner.values())
            print(f"{path.stem:26}  {pose}    {numbers}  {'hard' if is_hard(corner) else ''}")
    print(", ".join(f"{pose}: {hard[pose]} of {seen[pose]} hard" for pose in hard) + f"; portraits: {len(either)} of {len(portraits)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
