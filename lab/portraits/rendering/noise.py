"""Smooth random fields, from a seed."""

from __future__ import annotations

import numpy as np


def value_noise(points: np.ndarray, scale: float, seed: int) -> np.ndarray:
    """Trilinear noise in −1..1 at points [n, 3]; `scale` is the distance between knots."""
    x = points / scale
    cell = np.floor(x).astype(np.int64)
    t = x - cell
    t = t * t * (3 - 2 * t)
    total = np.zeros(len(points))
    for corner in range(8):
        offset = np.array([corner & 1, corner >> 1 & 1, corner >> 2 & 1])
        share = np.prod(np.where(offset, t, 1 - t), axis=1)
        total += share * _hash(cell + offset, seed)
    return total


def fractal_noise(points: np.ndarray, scale: float, seed: int, octaves: int = 3) -> np.ndarray:
    """Octaves of halving size and strength, about −1..1."""
    total = sum(value_noise(points, scale / 2**i, seed + i) / 2**i for i in range(octaves))
    return total / sum(1 / 2**i for i in range(octaves))


def smoothstep(low: float, high: float, x: np.ndarray) -> np.ndarray:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _hash(cell: np.ndarray, seed: int) -> np.ndarray:
    h = (cell[:, 0] * 73856093) ^ (cell[:, 1] * 19349663) ^ (cell[:, 2] * 83492791) ^ (seed * 2654435761)
    h = (h ^ (h >> 13)) * 1274126177 & 0xFFFFFFFF
    h = (h ^ (h >> 16)) * 2246822519 & 0xFFFFFFFF
    return (h >> 8 & 0xFFFF) / 32767.5 - 1
