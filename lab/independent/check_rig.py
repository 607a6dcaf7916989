#!/usr/bin/env python3
"""Checks that the face follows the rig's parameters: renders portraits that speak (render-speech.ts) and measures every
frame with FaceMesh.

python check_rig.py portrait.png [more portraits or folders] [--seconds 20] [--keep folder]

Prints one row per portrait: the share of frames in which a face is found; the largest aperture of a closed mouth (P, B,
M) beyond the same face at rest, and as the tracker reports it; the correlation of the aperture with the intended one
during speech; how far eyes close in a blink (eye aspect ratio); and identity.

For identity, frames are warped to the shape of the portrait by their meshes and compared with it outside mouth and eyes
(mean SSIM of luma). The speaking avatar is compared with the portrait itself, moved gently and encoded in the same way.
"lost" is the difference of the two similarities, sharpness their ratio (variance of the Laplacian).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

from face_tracker import FaceTracker, measure
from shape_free_face import ShapeFreeFace

ROOT = Path(__file__).resolve().parents[2]
# Areas around mouth and eyes that are expected to differ, in eye distances.
MOUTH_REACH = 0.75
EYE_REACH = 0.42
# Every n-th speech frame is compared with the portrait.
COMPARED_EVERY = 10
PICTURES = {".jpg", ".jpeg", ".png", ".webp"}


def check(portrait: Path, folder: Path, seconds: float) -> dict:
    command = ["npx", "tsx", str(ROOT / "lab/independent/render-speech.ts"), str(portrait.resolve()), str(folder), str(seconds)]
    subprocess.run(command, check=True, cwd=ROOT)
    intents = [json.loads(line) for line in (folder / "intent.jsonl").read_text().splitlines()]
    tracker = FaceTracker()
    rows = []
    portrait_rgb = cv2.cvtColor(cv2.imread(str(folder / "portrait.png")), cv2.COLOR_BGR2RGB)
    likeness = Likeness(portrait_rgb, tracker.points(portrait_rgb))
    alike: dict[str, list[tuple[float, float]]] = {"photo": [], "speech": []}
    for index, intent in enumerate(intents):
        rgb = cv2.cvtColor(cv2.imread(str(folder / f"{index:04d}.jpg")), cv2.COLOR_BGR2RGB)
        points = tracker.points(rgb)
        rows.append(intent | {"seen": None if points is None else measure(points, rgb)})
        if points is not None and intent["kind"] in alike and (intent["kind"] == "photo" or index % COMPARED_EVERY == 0):
            alike[intent["kind"]].append(likeness.of(rgb, points))
    tracker.close()
    seen = lambda kind, name: np.array([r["seen"][name] for r in rows if r["kind"] == kind and r["seen"]])  # noqa: E731
    speech = [r for r in rows if r["kind"] == "speech" and r["seen"]]
    eyes = lambda kind: (seen(kind, "eye_left") + seen(kind, "eye_right")) / 2  # noqa: E731
    photo_ssim, photo_sharpness = np.mean(alike["photo"], axis=0)
    ssim, sharpness = np.mean(alike["speech"], axis=0)
    return {
        "portrait": portrait.stem,
        "found": sum(r["seen"] is not None for r in rows) / len(rows),
        "closure_beyond_rest": float(np.max(np.abs(seen("closure", "aperture") - seen("rest", "aperture")))),
        "closure": float(np.max(np.abs(seen("closure", "aperture")))),
        "correlation": float(np.corrcoef([r["aperture"] for r in speech], [r["seen"]["aperture"] for r in speech])[0, 1]),
        "eyes_close_by": 1 - float(np.mean(eyes("blink")) / np.mean(eyes("rest"))),
        "ssim": float(ssim),
        "ssim_lost": float(photo_ssim - ssim),
        "sharpness": float(sharpness / photo_sharpness),
    }


class Likeness:
    """Similarity to one frame of the face, outside mouth and eyes. `points`: its mesh. Raises ValueError if the tracker
    found no face."""

    def __init__(self, rgb: np.ndarray, points: np.ndarray | None):
        if points is None:
            raise ValueError("the tracker finds no face in the portrait")
        self._shape = ShapeFreeFace(points, *rgb.shape[:2])
        flat = points[:, :2]
        eyes = [(flat[33] + flat[133]) / 2, (flat[362] + flat[263]) / 2]
        unit = float(np.linalg.norm(eyes[1] - eyes[0]))
        mask = self._shape.inside.astype(np.uint8)
        cv2.circle(mask, tuple(int(v) for v in (flat[13] + flat[14]) / 2), int(MOUTH_REACH * unit), 0, -1)
        for middle in eyes:
            cv2.circle(mask, tuple(int(v) for v in middle), int(EYE_REACH * unit), 0, -1)
        # Windows of the SSIM must not extend beyond the face.
        self._compared = cv2.erode(mask, np.ones((11, 11), np.uint8)) > 0
        self._luma = luma_of(rgb)

    def of(self, rgb: np.ndarray, points: np.ndarray) -> tuple[float, float]:
        """SSIM of luma (Wang et al. 2004, Gaussian window of 1.5 px) and sharpness of a frame, given its mesh."""
        a, b = self._luma, luma_of(self._shape.warp(rgb, points))
        blur = lambda x: cv2.GaussianBlur(x, (11, 11), 1.5)  # noqa: E731
        ma, mb = blur(a), blur(b)
        va, vb, cov = blur(a * a) - ma * ma, blur(b * b) - mb * mb, blur(a * b) - ma * mb
        c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
        ssim = ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
        return float(ssim[self._compared].mean()), float(np.var(cv2.Laplacian(b, cv2.CV_64F)[self._compared]))


def pictures_of(path: Path) -> list[Path]:
    return sorted(p for p in path.iterdir() if p.suffix.lower() in PICTURES) if path.is_dir() else [path]


def luma_of(rgb: np.ndarray) -> np.ndarray:
    return cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float64)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("portraits", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--keep", type=Path, help="folder that keeps the frames")
    args = parser.parse_args()
    print("portrait    found  closure-rest  closure  correlation  eyes close  SSIM   lost   sharpness")
    for portrait in (picture for path in args.portraits for picture in pictures_of(path)):
        try:
            with tempfile.TemporaryDirectory() as scratch:
                row = check(portrait, (args.keep or Path(scratch)) / portrait.stem, args.seconds)
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{portrait.stem:<10} not measured: {error}", flush=True)
            continue
        print(
            f"{row['portrait']:<10} {row['found']:6.1%}  {row['closure_beyond_rest']:12.4f}  {row['closure']:7.4f}  {row['correlation']:11.3f}"
            f"  {row['eyes_close_by']:10.1%}  {row['ssim']:.3f}  {row['ssim_lost']:.3f}  {row['sharpness']:9.3f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
