"""Spectacle frames as tubes, with panes."""

from __future__ import annotations

import numpy as np

TUBE_DM = {"round": 0.014, "square": 0.022}


def frame_paths(kind: str, eyes: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Centre lines of the frame's tubes [n, 3] each, and the rims alone (for the panes). `eyes` [2, 3]: their middles, left first."""
    width, height = (0.27, 0.235) if kind == "round" else (0.29, 0.205)
    power = 2.0 if kind == "round" else 3.2
    rims = []
    front = eyes[:, 2].mean() + 0.33
    for eye in eyes:
        t = np.linspace(0, 2 * np.pi, 81)
        c, s = np.cos(t), np.sin(t)
        x = eye[0] * 1.06 + width * np.sign(c) * np.abs(c) ** (2 / power)
        y = eye[1] - 0.03 + height * np.sign(s) * np.abs(s) ** (2 / power)
        rims.append(np.stack([x, y, front - 0.12 * np.abs(x) ** 2], axis=1))
    inner = [rim[np.argmin(np.abs(rim[:, 0]) - 0.3 * rim[:, 1])] for rim in rims]
    u = np.linspace(0, 1, 21)[:, None]
    bridge = inner[0] + (inner[1] - inner[0]) * u + np.array([0, 0.05, 0.04]) * (4 * u * (1 - u))
    paths = [*rims, bridge]
    for rim in rims:
        hinge = rim[np.argmax(np.abs(rim[:, 0]) + 0.4 * rim[:, 1])]
        ear = np.array([np.sign(hinge[0]) * 0.78, hinge[1] - 0.02, front - 1.15])
        paths.append(hinge + (ear - hinge) * u)
    return paths, rims
