"""Strands: hair, beard, moustache, brows and lashes, as curves that grow from the skin."""

from __future__ import annotations

import numpy as np

from mesh import Mesh, normals_of, triangles_of
from noise import fractal_noise, smoothstep
from people import Person

# Control points of a strand.
KNOTS = 6


def grow(roots: np.ndarray, directions: np.ndarray, lengths: np.ndarray, person: Person, seed: int, sag: float = 0.0,
         curl: float = 0.0) -> np.ndarray:
    """Strands [n, KNOTS, 3] from roots along unit directions; `sag` bends them down, `curl` winds them."""
    rng = np.random.default_rng(seed)
    s = np.linspace(0, 1, KNOTS)[None, :, None]
    strands = roots[:, None] + directions[:, None] * lengths[:, None, None] * s
    strands = strands + np.array([0, -1, 0]) * sag * lengths[:, None, None] * s**2
    side = np.cross(directions, rng.normal(size=directions.shape))
    side /= np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
    other = np.cross(directions, side)
    phase = rng.uniform(0, 2 * np.pi, (len(roots), 1, 1)) + curl * 2 * np.pi * s
    radius = 0.22 * lengths[:, None, None] * (np.minimum(1, curl) * s)
    strands = strands + radius * (np.cos(phase) * side[:, None] + np.sin(phase) * other[:, None])
    return strands


def scatter(mesh: Mesh, density: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """`count` points on the mesh and their normals, drawn in proportion to area and `density` (per point, 0..1)."""
    rng = np.random.default_rng(seed)
    triangles = triangles_of(mesh)
    p = mesh.points[triangles]
    area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
    chance = area * density[triangles].mean(axis=1)
    chosen = rng.choice(len(triangles), count, p=chance / chance.sum())
    a, b = rng.uniform(size=(2, count))
    flip = a + b > 1
    a[flip], b[flip] = 1 - a[flip], 1 - b[flip]
    shares = np.stack([1 - a - b, a, b], axis=1)[:, :, None]
    normals = normals_of(mesh)[triangles[chosen]]
    return (p[chosen] * shares).sum(axis=1), (normals * shares).sum(axis=1)


def scalp_density(p: np.ndarray, eyes: np.ndarray, seed: int) -> np.ndarray:
    """1 where hair grows: above a line over the forehead, round the ears and down the neck. [n]"""
    eye_y, front = eyes[:, 1].mean(), eyes[:, 2].mean()
    back = front - p[:, 2]
    # The line runs from high on the forehead down before the ear, up over it, and down to the nape.
    knots_back = [-0.6, 0.1, 0.45, 0.75, 0.95, 1.15, 1.45, 2.2]
    knots_y = [1.0, 0.74, 0.42, 0.02, 0.3, 0.25, -0.1, -0.85]
    line = eye_y + np.interp(back, knots_back, knots_y)
    return smoothstep(-0.03, 0.06, p[:, 1] - line + 0.06 * fractal_noise(p, 0.12, seed, 2))


def hair_strands(body: Mesh, person: Person, eyes: np.ndarray) -> np.ndarray:
    density = scalp_density(body.points, eyes, person.seed)
    roots, normals = scatter(body, density, 60000, person.seed)
    middle = np.array([0, eyes[:, 1].mean() + 0.2, eyes[:, 2].mean() - 1.0])
    rng = np.random.default_rng(person.seed + 1)
    # Combed up and back over the crown, down at the sides and the nape.
    back = np.array([0, 0.15, -1.0]) + np.stack(
        [0.7 * np.sign(roots[:, 0]) * smoothstep(0.2, 0.7, np.abs(roots[:, 0])),
         -1.3 * smoothstep(0.5, -0.3, roots[:, 1] - middle[1]), 0 * roots[:, 0]], axis=1)
    along = back - normals * (back * normals).sum(axis=1, keepdims=True)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
    lift = 0.15 if person.curl == 0 else 1.4
    directions = along + lift * normals + 0.18 * rng.normal(size=roots.shape)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = person.hair_length * rng.uniform(0.7, 1.1, len(roots))
    edge = smoothstep(0.0, 0.25, roots[:, 1] - (eyes[:, 1].mean() + 0.1))
    lengths *= 0.55 + 0.45 * edge
    return grow(roots, directions, lengths, person, person.seed + 2, sag=0.25, curl=person.curl)


def beard_strands(body: Mesh, person: Person, mouth: np.ndarray, chin_y: float, eyes: np.ndarray) -> np.ndarray:
    """Beard and moustache; `mouth`: its middle."""
    p = body.points
    x, y, z = (p - mouth).T
    side = np.abs(x)
    cheek_line = 0.02 + 0.95 * np.clip(side - 0.25, 0, None) - 0.05 * side
    jaw = smoothstep(0.05, -0.04, y - cheek_line) * smoothstep(-0.1, 0.05, p[:, 1] - chin_y - 0.35 * np.clip(-z - 0.2, 0, 1))
    jaw *= smoothstep(-0.95, -0.7, z) * (1 - smoothstep(0.0, 0.05, 0.17 - np.hypot(side * 0.55, (y + 0.07) * 1.1)))
    lip = smoothstep(0.04, 0.07, y) * smoothstep(0.24, 0.17, y) * smoothstep(0.36, 0.28, side) * smoothstep(-0.3, -0.2, z)
    free = 1 - smoothstep(0.02, 0.15, body.weights["lips"])
    rng = np.random.default_rng(person.seed + 3)
    strands = []
    for density, length, count, down in ((jaw, person.beard_length, 16000, 0.9), (lip, person.moustache_length, 4500, 0.8)):
        if length == 0:
            continue
        roots, normals = scatter(body, density * free, count, person.seed + count)
        directions = 0.75 * normals + np.array([0, -down, 0]) + 0.25 * rng.normal(size=roots.shape)
        directions[:, 0] += 0.5 * np.sign(roots[:, 0]) * smoothstep(0.02, 0.25, np.abs(roots[:, 0])) * (length == person.moustache_length)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        strands.append(grow(roots, directions, length * rng.uniform(0.5, 1.1, count), person, person.seed + 4, 0.2, min(person.curl, 1.2)))
    return np.concatenate(strands) if strands else np.zeros((0, KNOTS, 3))


def brow_strands(body: Mesh, person: Person, eyes: np.ndarray) -> np.ndarray:
    p = body.points
    density = np.zeros(len(p))
    for eye in eyes:
        out = (p[:, 0] - eye[0]) * np.sign(eye[0])
        arch = eye[1] + 0.165 + 0.035 * np.cos((out - 0.08) * 5.5)
        thick = 0.022 * smoothstep(-0.24, -0.1, out) * smoothstep(0.32, 0.05, out) + 0.005
        near = smoothstep(1.2, 0.5, np.abs(p[:, 1] - arch) / thick)
        density = np.maximum(density, near * smoothstep(-0.2, -0.13, out) * smoothstep(0.3, 0.24, out) * (p[:, 2] > eye[2] - 0.25))
    roots, normals = scatter(body, density, 900, person.seed + 5)
    rng = np.random.default_rng(person.seed + 6)
    outward = np.sign(roots[:, :1]) * np.array([[1.0, 0.25, -0.2]]) * [1, 1, 1]
    outward[:, 1:] = np.array([0.25, -0.2])
    directions = outward + 0.3 * normals + 0.22 * rng.normal(size=roots.shape)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return grow(roots, directions, rng.uniform(0.05, 0.1, len(roots)), person, person.seed + 7, 0.1)


def lash_strands(lashes: Mesh, eye: np.ndarray, person: Person, count: int) -> np.ndarray:
    """Lashes along a strip of the base mesh, from its edge nearest to the eye outwards."""
    rng = np.random.default_rng(person.seed + 8)
    strands = []
    p = lashes.points[lashes.quads]
    distance = np.linalg.norm(p - eye, axis=2)
    reach = np.abs(p[..., 0] - eye[0]).max()
    for corners, far in zip(p, distance, strict=True):
        order = np.argsort(far)
        root = corners[order[:2]]
        tip = corners[order[2:]]
        if np.linalg.norm(root[0] - tip[0]) > np.linalg.norm(root[0] - tip[1]):
            tip = tip[::-1]
        for t in rng.uniform(size=max(1, count // len(p))):
            a = root[0] + t * (root[1] - root[0])
            b = tip[0] + t * (tip[1] - tip[0])
            s = np.linspace(0, 1, KNOTS)[:, None]
            # Short at the corners, where long ones would make the eye look wider than it is.
            length = rng.uniform(0.6, 1.0) * (1 - 0.8 * smoothstep(0.5, 0.85, abs(a[0] - eye[0]) / reach))
            strands.append(a + (b - a) * s * length + np.array([0, 0.012, 0]) * s**2)
    return np.array(strands)
