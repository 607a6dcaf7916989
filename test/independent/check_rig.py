#!/usr/bin/env python3
"""Does the face do what the rig was told? Draws portraits that speak (draw-speech.ts) and measures every picture with FaceMesh.

    python check_rig.py portrait.png [more portraits] [--seconds 20] [--keep folder]

Prints one row a portrait: share of pictures in which a face is found; largest aperture of a closed mouth (P, B, M) beyond the same face at
rest and as the tracker says it; correlation of the aperture with what the rig was told, over the speech; by how much eyes close in a blink
(eye aspect ratio); likeness of the face at rest to the photo moved in the same way, outside mouth and eyes (mean SSIM of luma at matching
places), and its sharpness relative to it (variance of the Laplacian).
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

ROOT = Path(__file__).resolve().parents[2]
# Around mouth and eyes, in eye distances: what is expected to differ.
MOUTH_REACH = 0.75
EYE_REACH = 0.42


def check(portrait: Path, folder: Path, seconds: float) -> dict:
    command = ["npx", "tsx", str(ROOT / "test/independent/draw-speech.ts"), str(portrait.resolve()), str(folder), str(seconds)]
    subprocess.run(command, check=True, cwd=ROOT)
    intents = [json.loads(line) for line in (folder / "intent.jsonl").read_text().splitlines()]
    tracker = FaceTracker()
    rows = []
    pictures: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {"photo": [], "rest": []}
    for index, intent in enumerate(intents):
        rgb = cv2.cvtColor(cv2.imread(str(folder / f"{index:04d}.jpg")), cv2.COLOR_BGR2RGB)
        points = tracker.points(rgb)
        rows.append(intent | {"seen": None if points is None else measure(points, rgb)})
        if points is not None and intent["kind"] in pictures:
            pictures[intent["kind"]].append((rgb, points))
    tracker.close()
    seen = lambda kind, name: np.array([r["seen"][name] for r in rows if r["kind"] == kind and r["seen"]])  # noqa: E731
    speech = [r for r in rows if r["kind"] == "speech" and r["seen"]]
    eyes = lambda kind: (seen(kind, "eye_left") + seen(kind, "eye_right")) / 2  # noqa: E731
    alike = [likeness(a, b) for a, b in zip(pictures["photo"], pictures["rest"])]
    return {
        "portrait": portrait.stem,
        "found": sum(r["seen"] is not None for r in rows) / len(rows),
        "closure_beyond_rest": float(np.max(np.abs(seen("closure", "aperture") - seen("rest", "aperture")))),
        "closure": float(np.max(np.abs(seen("closure", "aperture")))),
        "correlation": float(np.corrcoef([r["aperture"] for r in speech], [r["seen"]["aperture"] for r in speech])[0, 1]),
        "eyes_close_by": 1 - float(np.mean(eyes("blink")) / np.mean(eyes("rest"))),
        "ssim": float(np.mean([a for a, _ in alike])),
        "sharpness": float(np.mean([s for _, s in alike])),
    }


def likeness(photo: tuple[np.ndarray, np.ndarray], rest: tuple[np.ndarray, np.ndarray]) -> tuple[float, float]:
    """SSIM of luma (Wang et al. 2004, Gaussian window of 1.5 px) over the face outside mouth and eyes, and the ratio of sharpness."""
    a, b = (cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY).astype(np.float64) for rgb, _ in (photo, rest))
    points = photo[1][:, :2]
    eye = [(points[33] + points[133]) / 2, (points[362] + points[263]) / 2]
    unit = float(np.linalg.norm(eye[1] - eye[0]))
    mask = np.zeros(a.shape, np.uint8)
    cv2.fillConvexPoly(mask, cv2.convexHull(points[:468].astype(np.int32)), 1)
    cv2.circle(mask, tuple(int(v) for v in (points[13] + points[14]) / 2), int(MOUTH_REACH * unit), 0, -1)
    for middle in eye:
        cv2.circle(mask, tuple(int(v) for v in middle), int(EYE_REACH * unit), 0, -1)
    blur = lambda x: cv2.GaussianBlur(x, (11, 11), 1.5)  # noqa: E731
    ma, mb = blur(a), blur(b)
    va, vb, cov = blur(a * a) - ma * ma, blur(b * b) - mb * mb, blur(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    ssim = ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
    inside = mask > 0
    sharp = [float(np.var(cv2.Laplacian(x, cv2.CV_64F)[inside])) for x in (a, b)]
    return float(ssim[inside].mean()), sharp[1] / sharp[0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("portraits", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--keep", type=Path, help="folder that keeps the pictures")
    args = parser.parse_args()
    print("portrait    found  closure-rest  closure  correlation  eyes close  SSIM   sharpness")
    for portrait in args.portraits:
        with tempfile.TemporaryDirectory() as scratch:
            row = check(portrait, (args.keep or Path(scratch)) / portrait.stem, args.seconds)
        print(
            f"{row['portrait']:<10} {row['found']:6.1%}  {row['closure_beyond_rest']:12.4f}  {row['closure']:7.4f}  {row['correlation']:11.3f}"
            f"  {row['eyes_close_by']:10.1%}  {row['ssim']:.3f}  {row['sharpness']:9.3f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
