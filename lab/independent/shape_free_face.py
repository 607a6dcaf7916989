"""Shape-free faces: images of a face are warped so that every point of the mesh has its position in a reference image.
They can then be compared by the look of the skin, independent of head rotation and mouth.

Source: the shape-free textures of active appearance models (Cootes, Edwards & Taylor 1998), with linear interpolation
inside each triangle.
"""

import cv2
import numpy as np

MESH_POINTS = 468


class ShapeFreeFace:
    """The shape of the reference; `points` as from FaceTracker, for an image of `height` × `width` px."""

    def __init__(self, points: np.ndarray, height: int, width: int):
        flat = points[:MESH_POINTS, :2].astype(np.float32)
        self._corners, self._weights = _barycentric(flat, height, width)
        self.inside = self._corners[..., 0] >= 0

    def warp(self, image: np.ndarray, points: np.ndarray) -> np.ndarray:
        """`image` [h, w(, 3)] in the reference's shape; `points`: its own mesh. Outside the face the result is black.
        """
        moved = points[:MESH_POINTS, :2].astype(np.float32)
        places = np.einsum("hwk,hwkc->hwc", self._weights, moved[np.maximum(self._corners, 0)])
        places[~self.inside] = -1
        return cv2.remap(image, places.astype(np.float32), None, cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT)


def _barycentric(flat: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Per pixel the three mesh points around it, int [h, w, 3] (−1 outside), and their weights, float32 [h, w, 3]."""
    index_of = {(x, y): i for i, (x, y) in enumerate(map(tuple, flat))}
    low, high = flat.min(axis=0), flat.max(axis=0)
    plane = cv2.Subdiv2D((int(low[0]) - 1, int(low[1]) - 1, int(np.ptp(flat[:, 0])) + 3, int(np.ptp(flat[:, 1])) + 3))
    plane.insert(flat.tolist())
    corners = np.full((height, width, 3), -1, np.int64)
    weights = np.zeros((height, width, 3), np.float32)
    for triangle in plane.getTriangleList().reshape(-1, 3, 2):
        known = [index_of.get(tuple(corner)) for corner in triangle]
        if None in known:
            continue  # A corner of the plane itself, outside the face.
        left, top = np.maximum(np.floor(triangle.min(axis=0)).astype(int), 0)
        right, bottom = np.minimum(np.ceil(triangle.max(axis=0)).astype(int) + 1, [width, height])
        x, y = np.meshgrid(np.arange(left, right), np.arange(top, bottom))
        (ax, ay), (bx, by), (cx, cy) = triangle
        area = (by - cy) * (ax - cx) + (cx - bx) * (ay - cy)
        if abs(area) < 1e-6:
            continue
        a = ((by - cy) * (x - cx) + (cx - bx) * (y - cy)) / area
        b = ((cy - ay) * (x - cx) + (ax - cx) * (y - cy)) / area
        share = np.stack([a, b, 1 - a - b], axis=-1)
        covered = (share >= -1e-4).all(axis=-1)
        corners[y[covered], x[covered]] = known
        weights[y[covered], x[covered]] = share[covered]
    return corners, weights
