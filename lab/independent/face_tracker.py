"""MediaPipe's FaceMesh as an independent measurement of our images: it shares neither models nor code with this
project's face detection. Every image is measured separately (no tracking, no smoothing), so that no result depends
on the previous image."""

import os
import sys
import types

import numpy as np

os.environ.setdefault("GLOG_minloglevel", "3")
# MediaPipe's drawing helpers import a plotting library that is not needed here.
for _name in ("matplotlib", "matplotlib.pyplot"):
    sys.modules.setdefault(_name, types.ModuleType(_name))
sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]

import mediapipe  # noqa: E402

# Points of the mesh. Source: MediaPipe's canonical face model; "right" is the person's right, left in the image.
RIGHT_EYE = (33, 160, 158, 133, 153, 144)
LEFT_EYE = (362, 385, 387, 263, 373, 380)
INNER_LIPS = ((82, 87), (13, 14), (312, 317))
INNER_CORNERS = (78, 308)
OUTER_CORNERS = (61, 291)
OUTER_LIPS = (0, 17)
NOSE_BASE = 2
CHIN = 152
FACE_SIDES = (234, 454)
INNER_RING = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95)


class FaceTracker:
    """Finds the mesh of the most certain face in each image."""

    def __init__(self, refined: bool = True):
        self._mesh = mediapipe.solutions.face_mesh.FaceMesh(
            static_image_mode=True, max_num_faces=1, refine_landmarks=refined, min_detection_confidence=0.3
        )

    def points(self, rgb: np.ndarray) -> np.ndarray | None:
        """float [478, 3] in pixels, y down, z away from the camera at about the scale of x; None if no face is found.
        rgb: uint8 [height, width, 3]."""
        found = self._mesh.process(np.ascontiguousarray(rgb)).multi_face_landmarks
        if not found:
            return None
        height, width = rgb.shape[:2]
        return np.array([(p.x * width, p.y * height, p.z * width) for p in found[0].landmark])

    def close(self) -> None:
        self._mesh.close()


def measure(points: np.ndarray, rgb: np.ndarray) -> dict:
    """What the mesh says about one face. Lengths are in eye distances (between the middles of the two eyes), angles in degrees.

    aperture       gap between the inner lips, mean of three places, along the face's own vertical; negative if they cross
    mouth_width    between the outer corners
    lip_height     from the top of the upper to the bottom of the lower lip
    upper_lip      inner edge of the upper lip below the base of the nose; the upper teeth do not move against it
    lower_lip      inner edge of the lower lip below the base of the nose: at the upper teeth for F and V
    chin           chin below the base of the nose
    eye_right/left eye aspect ratio (Soukupova & Cech 2016): about .3 open, below .15 shut
    yaw/pitch/roll yaw positive to the image's right, pitch positive down, roll positive clockwise in the image;
                   zero is a mesh that faces the camera, so take differences of pitch
    mouth_luma     mean luma (0..1) between the inner lips over that of the cheeks; null while they are shut
    """
    flat = points[:, :2]
    # The middle between the corners of each eye; lids move, corners do not.
    right, left = (flat[33] + flat[133]) / 2, (flat[362] + flat[263]) / 2
    distance = float(np.linalg.norm(left - right))
    across = (left - right) / distance
    down = np.array([-across[1], across[0]])
    at = lambda index: float((flat[index] - flat[NOSE_BASE]) @ down) / distance  # noqa: E731
    length = lambda a, b: float(np.linalg.norm(flat[a] - flat[b])) / distance  # noqa: E731
    yaw, pitch, roll = _head_angles(points)
    return {
        "eye_distance_px": distance,
        "aperture": float(np.mean([at(low) - at(high) for high, low in INNER_LIPS])),
        "mouth_width": length(*OUTER_CORNERS),
        "inner_width": length(*INNER_CORNERS),
        "lip_height": at(OUTER_LIPS[1]) - at(OUTER_LIPS[0]),
        "upper_lip": at(13),
        "lower_lip": at(14),
        "chin": at(CHIN),
        "eye_right": _eye_aspect(flat, RIGHT_EYE),
        "eye_left": _eye_aspect(flat, LEFT_EYE),
        "yaw": yaw,
        "pitch": pitch,
        "roll": roll,
        "mouth_luma": _mouth_luma(flat, rgb, distance),
    }


def _eye_aspect(flat: np.ndarray, eye: tuple) -> float:
    p = flat[list(eye)]
    gap = np.linalg.norm(p[1] - p[5]) + np.linalg.norm(p[2] - p[4])
    return float(gap / (2 * np.linalg.norm(p[0] - p[3])))


def _head_angles(points: np.ndarray) -> tuple[float, float, float]:
    """Axes of the head from points that speech does not move: outer eye corners, sides of the face, forehead and nose base."""
    across = (points[263] - points[33]) + (points[FACE_SIDES[1]] - points[FACE_SIDES[0]])
    across /= np.linalg.norm(across)
    down = points[NOSE_BASE] - points[10]
    down -= across * (down @ across)
    down /= np.linalg.norm(down)
    yaw = np.degrees(np.arctan2(across[2], across[0]))
    roll = np.degrees(np.arctan2(across[1], across[0]))
    pitch = np.degrees(np.arctan2(down[2], down[1]))
    return float(yaw), float(pitch), float(roll)


def _mouth_luma(flat: np.ndarray, rgb: np.ndarray, distance: float) -> float | None:
    import cv2

    ring = flat[list(INNER_RING)]
    if cv2.contourArea(ring.astype(np.float32)) < (0.05 * distance) ** 2:
        return None
    luma = rgb.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    mask = np.zeros(luma.shape, np.uint8)
    cv2.fillPoly(mask, [np.round(ring).astype(np.int32)], 1)
    cheeks = np.round(flat[[50, 280]]).astype(int)
    size = max(2, int(distance * 0.06))
    skin = [luma[max(0, y - size) : y + size, max(0, x - size) : x + size] for x, y in cheeks]
    skin_luma = float(np.mean([patch.mean() for patch in skin if patch.size]))
    if not mask.any() or skin_luma <= 0:
        return None
    return float(luma[mask == 1].mean() / skin_luma)
