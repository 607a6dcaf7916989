#!/usr/bin/env python3
"""Measures the face in every image of a film, or of a folder of images, with FaceMesh: one JSON line per image.

    python measure_faces.py film.mp4 [more films, images or folders] [--points] [--plain]

Each line: {file, frame, time_ms, found, ...what face_tracker.measure says}. Films: time_ms is the start of the frame by the film's own
clock. Images: frame counts through the folder in order of names, time_ms is null. --points adds the mesh as [[x, y, z] * 478] in pixels.
Exit code 66 if something cannot be read, 0 otherwise, also for images without a face.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from face_tracker import FaceTracker, measure

IMAGE_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".webp"}


def images(path: Path) -> Iterator[tuple[float | None, np.ndarray]]:
    """Time in ms (None for still images) and uint8 [height, width, 3] RGB, in order. Raises OSError for what cannot be read."""
    if path.is_dir():
        for file in sorted(file for file in path.iterdir() if file.suffix.lower() in IMAGE_SUFFIXES):
            yield from images(file)
    elif path.suffix.lower() in IMAGE_SUFFIXES:
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise OSError(f"{path} cannot be read as an image")
        yield None, cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
    else:
        film = cv2.VideoCapture(str(path))
        if not film.isOpened():
            raise OSError(f"{path} cannot be read as a film")
        try:
            while True:
                time_ms = film.get(cv2.CAP_PROP_POS_MSEC)
                more, image = film.read()
                if not more:
                    return
                yield time_ms, cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        finally:
            film.release()


def measured(path: Path, tracker: FaceTracker, with_points: bool = False) -> Iterator[dict]:
    """One row per image of the video, folder or image at `path`."""
    for frame, (time_ms, rgb) in enumerate(images(path)):
        points = tracker.points(rgb)
        row = {"file": str(path), "frame": frame, "time_ms": time_ms, "found": points is not None}
        if points is not None:
            row |= measure(points, rgb)
            if with_points:
                row["points"] = np.round(points, 2).tolist()
        yield row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--points", action="store_true", help="add all 478 points to each line")
    parser.add_argument("--plain", action="store_true", help="the mesh without its finer lips and irises (468 points)")
    arguments = parser.parse_args()
    tracker = FaceTracker(refined=not arguments.plain)
    try:
        for path in arguments.paths:
            for row in measured(path, tracker, arguments.points):
                print(json.dumps({k: round(v, 5) if isinstance(v, float) else v for k, v in row.items()}))
    except OSError as error:
        print(error, file=sys.stderr)
        return 66
    finally:
        tracker.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
