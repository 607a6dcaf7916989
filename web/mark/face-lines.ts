// The lines that the marks make: lids, brows, lips and rim as the face will have them.
import type { FaceMarks } from "../../src/face/portrait/face-marks.ts";
import {
  LEFT_EYE,
  LOWER_LIP_INNER,
  pointsAt,
  RIGHT_EYE,
  UPPER_LIP_INNER,
} from "../../src/face/portrait/face-points.ts";
import { meshFromMarks } from "../../src/face/portrait/mesh-from-marks.ts";
import { FACE_OVAL, LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "../../src/face/portrait/mesh-points.ts";

const LINES = [
  [...FACE_OVAL, FACE_OVAL[0]],
  LEFT_EYE.brow,
  RIGHT_EYE.brow,
  [...LEFT_EYE.upper, ...LEFT_EYE.lower.toReversed()],
  [...RIGHT_EYE.upper, ...RIGHT_EYE.lower.toReversed()],
  [...UPPER_LIP_OUTER, ...LOWER_LIP_OUTER.toReversed()],
  [...UPPER_LIP_INNER, ...LOWER_LIP_INNER.toReversed()],
];

/** An SVG path in px of the image; empty for marks that lie on one line. */
export function faceLines(marks: FaceMarks): string {
  const mesh = meshOf(marks);
  if (!mesh) return "";
  return LINES.map(
    (line) =>
      `M${pointsAt(mesh, line)
        .map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`)
        .join("L")}`,
  ).join("");
}

function meshOf(marks: FaceMarks): Float32Array | undefined {
  try {
    const mesh = meshFromMarks(marks);
    return mesh.every(Number.isFinite) ? mesh : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
