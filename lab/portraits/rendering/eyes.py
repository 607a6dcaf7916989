"""Eyeballs and their colours."""

from __future__ import annotations

import numpy as np

from mesh import Mesh
from noise import fractal_noise, smoothstep
from people import Person

RINGS, SECTORS = 120, 160


def eyeball(centre: np.ndarray, radius: float) -> Mesh:
    """A sphere with a pole that looks forward, with a bulge where the cornea is."""
    polar = np.linspace(0.002, np.pi - 0.002, RINGS)[:, None]
    turn = np.linspace(0, 2 * np.pi, SECTORS, endpoint=False)[None]
    bulge = 1 + 0.06 * np.exp(-((polar / 0.45) ** 4))
    unit = np.stack(
        [np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar) * np.ones_like(turn)], axis=2
    )
    points = centre + radius * bulge[:, :, None] * unit
    ring, sector = np.meshgrid(np.arange(RINGS - 1), np.arange(SECTORS), indexing="ij")
    following = (sector + 1) % SECTORS
    corner = [ring * SECTORS + sector, (ring + 1) * SECTORS + sector, (ring + 1) * SECTORS + following, ring * SECTORS + following]
    return Mesh(points.reshape(-1, 3), np.stack(corner, axis=2).reshape(-1, 4), {})


def eyeball_colours(ball: Mesh, centre: np.ndarray, person: Person) -> np.ndarray:
    """Pupil, streaked iris with a dark rim, and the white with a little red towards the corners. [n, 3]"""
    d = ball.points - centre
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    angle = np.arccos(np.clip(d[:, 2], -1, 1))
    turn = np.stack([np.cos(np.arctan2(d[:, 1], d[:, 0])), np.sin(np.arctan2(d[:, 1], d[:, 0])), 0.4 * angle], axis=1)
    white = np.tile([0.62, 0.56, 0.52], (len(d), 1))
    white *= 1 - smoothstep(0.5, 1.2, angle)[:, None] * np.array([0.2, 0.42, 0.42])
    white *= 1 + 0.05 * fractal_noise(ball.points, 0.05, person.seed)[:, None]
    iris = np.array(person.iris) * (1 + 0.5 * fractal_noise(turn, 0.07, person.seed + 2))[:, None]
    iris *= (1 + 0.8 * smoothstep(0.44, 0.22, angle))[:, None]
    iris *= (1 - 0.75 * smoothstep(0.42, 0.5, angle))[:, None]
    colour = iris + smoothstep(0.47, 0.52, angle)[:, None] * (white - iris)
    return np.clip(colour * smoothstep(0.14, 0.17, angle)[:, None] + 0.002, 0, 1)
