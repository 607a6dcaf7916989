"""Colours of the skin, point by point."""

from __future__ import annotations

import numpy as np

from mesh import Mesh
from noise import fractal_noise, smoothstep, value_noise
from people import Person


def skin_colours(body: Mesh, person: Person, eyes: np.ndarray, neck_y: float) -> np.ndarray:
    """Reflectance at every point [n, 3]: blotches, freckles, redness, lips, shadow of shaved hair, and the shirt below the neck.
    `eyes` [2, 3]: their middles; masks needed: lips, cheeks."""
    p = body.points
    base = np.array(person.skin)
    brightness = float(base.mean())
    colour = np.tile(base, (len(p), 1))
    blotches = fractal_noise(p, 0.5, person.seed)
    fine = fractal_noise(p, 0.05, person.seed + 9, 2)
    colour *= 1 + 0.06 * blotches[:, None] + 0.09 * fine[:, None]
    freckle = smoothstep(0.55, 0.8, value_noise(p, 0.035, person.seed + 20)) * smoothstep(-0.1, 0.4, blotches)
    colour *= 1 - 0.16 * freckle[:, None] * np.array([0.6, 1, 1])
    redness = body.weights["cheeks"] + 0.8 * body.weights["nose"]
    colour *= 1 - np.clip(redness, 0, 1)[:, None] * np.array([0.0, 0.16, 0.14]) * min(1, 2 * brightness + 0.3)
    for eye in eyes:
        around = np.exp(-(np.linalg.norm((p - eye) / [0.42, 0.3, 0.5], axis=1) ** 2))
        colour *= 1 - around[:, None] * np.array([0.12, 0.17, 0.12])
    lips = smoothstep(0.22, 0.5, body.weights["lips"] + 0.06 * fractal_noise(p, 0.08, person.seed + 5))
    grain = 1 + 0.12 * value_noise(p * [1, 0.2, 1], 0.02, person.seed + 6)
    colour += lips[:, None] * (np.array(person.lip) * grain[:, None] - colour)
    # Where the lips meet the cheeks there is always a little shade.
    on_lips = p[body.weights["lips"] > 0.3]
    for corner in (on_lips[on_lips[:, 0].argmin()], on_lips[on_lips[:, 0].argmax()]):
        colour *= 1 - 0.45 * np.exp(-(np.linalg.norm((p - corner) / [0.05, 0.025, 0.06], axis=1) ** 2))[:, None]
    shirt = smoothstep(0, 0.05, neck_y + 0.25 * np.abs(p[:, 0]) - p[:, 1] + 0.05 * (p[:, 2] - 0.5))
    weave = 1 + 0.1 * value_noise(p, 0.02, person.seed + 7)
    return np.clip(colour + shirt[:, None] * (np.array(person.shirt) * weave[:, None] - colour), 0.002, 0.95)


def pores(points: np.ndarray, seed: int) -> np.ndarray:
    """How far the skin stands out at every point, dm."""
    return 0.0016 * fractal_noise(points, 0.05, seed, 2) + 0.003 * fractal_noise(points, 0.25, seed + 3, 2)
