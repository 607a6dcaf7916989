// The face mesh of a drawn face: lines that are known exactly, the rest carried along from an average face.

import { thinPlateSpline } from "../../src/signal/math/thin-plate-spline.ts";
import { linspace, type Point, pointAtFraction } from "./drawing/curves.ts";
import { CENTRE_X, type FaceGeometry } from "./drawing/face-geometry.ts";

/** Points of the mesh: 468 of the face and 10 of the irises, [x, y, z] in px, z towards the viewer negative. */
export type MeshPoints = [number, number, number][];

/** Mesh indices of the lines of a face, in the numbering of the 468-point face mesh. Lips run from the left of the
 *  image to the right, eyes and brows from the outer to the inner end. */
const LINES = {
  upperLipEdge: [61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291],
  lowerLipEdge: [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291],
  upperSeam: [78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308],
  lowerSeam: [78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308],
  leftUpperLid: [33, 246, 161, 160, 159, 158, 157, 173, 133],
  leftLowerLid: [33, 7, 163, 144, 145, 153, 154, 155, 133],
  rightUpperLid: [263, 466, 388, 387, 386, 385, 384, 398, 362],
  rightLowerLid: [263, 249, 390, 373, 374, 380, 381, 382, 362],
  leftBrowUpper: [70, 63, 105, 66, 107],
  leftBrowLower: [46, 53, 52, 65, 55],
  rightBrowUpper: [300, 293, 334, 296, 336],
  rightBrowLower: [276, 283, 282, 295, 285],
  rightOutline: [10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152],
  leftOutline: [10, 109, 67, 103, 54, 21, 162, 127, 234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152],
} as const;

/** Centre, then right, top, left and bottom of the iris on the left and on the right of the image. */
const IRISES = [
  [468, 469, 470, 471, 472],
  [473, 474, 475, 476, 477],
] as const;

/** The mesh of a drawn face. `canonical`: 468 points of an average face, any scale, y down, as in canonical-face.json.
 *  Throws RangeError for another number of points. */
export function meshPoints(geometry: FaceGeometry, canonical: readonly (readonly number[])[]): MeshPoints {
  if (canonical.length !== 468) throw new RangeError(`canonical face has ${canonical.length} points, not 468`);
  const known = knownPoints(geometry, canonical);
  const anchors = [...known.keys()].filter((index) => index < 468);
  const warp = thinPlateSpline(
    anchors.map((index) => flat(canonical[index])),
    anchors.map((index) => known.get(index) as Point),
    1e-4,
  );
  const scale = geometry.shape.height;
  const points: MeshPoints = canonical.map((point, index) => {
    const [x, y] = known.get(index) ?? warp(flat(point));
    return [x, y, (point[2] as number) * scale];
  });
  const eyeDepth = ((canonical[133]?.[2] as number) - 0.02) * scale;
  for (let index = 468; index < 478; index++) points.push([...(known.get(index) as Point), eyeDepth]);
  return points;
}

function knownPoints(geometry: FaceGeometry, canonical: readonly (readonly number[])[]): Map<number, Point> {
  const known = new Map<number, Point>();
  const set = (indices: readonly number[], point: (index: number) => Point) =>
    indices.forEach((meshIndex, index) => {
      known.set(meshIndex, point(index));
    });
  const { mouth, shape } = geometry;
  const lip = linspace(-1, 1, 11);
  const at = (line: (u: number) => number, share: number) => (index: number) => {
    const u = (lip[index] as number) * share;
    return [mouth.x(u), line(u)] as const;
  };
  set(LINES.upperLipEdge, at(mouth.upper, 1));
  set(LINES.lowerLipEdge, at(mouth.lower, 1));
  // The seam's own corner points lie just inside the corners of the lips.
  set(LINES.upperSeam, at(mouth.seam, 0.96));
  set(LINES.lowerSeam, at(mouth.seam, 0.96));
  const lid = linspace(-1, 1, 9);
  const [left, right] = geometry.eyes;
  set(LINES.leftUpperLid, (index) => [left.at(lid[index] as number), left.upper(lid[index] as number)]);
  set(LINES.leftLowerLid, (index) => [left.at(lid[index] as number), left.lower(lid[index] as number)]);
  set(LINES.rightUpperLid, (index) => [right.at(lid[index] as number), right.upper(lid[index] as number)]);
  set(LINES.rightLowerLid, (index) => [right.at(lid[index] as number), right.lower(lid[index] as number)]);
  const [leftBrow, rightBrow] = geometry.brows as [FaceGeometry["brows"][number], FaceGeometry["brows"][number]];
  set(LINES.leftBrowUpper, (index) => leftBrow.upper[index * 2] as Point);
  set(LINES.leftBrowLower, (index) => leftBrow.lower[index * 2] as Point);
  set(LINES.rightBrowUpper, (index) => rightBrow.upper[index * 2] as Point);
  set(LINES.rightBrowLower, (index) => rightBrow.lower[index * 2] as Point);
  const fractions = lengthFractions(LINES.rightOutline.map((index) => flat(canonical[index])));
  set(LINES.rightOutline, (index) => pointAtFraction(geometry.rightOutline, fractions[index] as number));
  set(LINES.leftOutline, (index) => pointAtFraction(geometry.leftOutline, fractions[index] as number));
  known.set(1, [CENTRE_X, shape.nose.y - 10]);
  known.set(2, [CENTRE_X, shape.nose.y + 6]);
  known.set(98, [CENTRE_X - shape.nose.halfWidth * 0.9, shape.nose.y]);
  known.set(327, [CENTRE_X + shape.nose.halfWidth * 0.9, shape.nose.y]);
  IRISES.forEach((indices, side) => {
    const { iris, irisRadius } = geometry.eyes[side] as FaceGeometry["eyes"][0];
    const [x, y] = iris;
    const ring: Point[] = [iris, [x + irisRadius, y], [x, y - irisRadius], [x - irisRadius, y], [x, y + irisRadius]];
    set(indices, (index) => ring[index] as Point);
  });
  return known;
}

function lengthFractions(line: Point[]): number[] {
  const lengths = [0];
  for (let index = 1; index < line.length; index++) {
    const [from, to] = [line[index - 1] as Point, line[index] as Point];
    lengths.push((lengths[index - 1] as number) + Math.hypot(to[0] - from[0], to[1] - from[1]));
  }
  return lengths.map((length) => length / (lengths.at(-1) as number));
}

function flat(point: readonly number[] | undefined): Point {
  if (!point) throw new RangeError("mesh index outside the canonical face");
  return [point[0] as number, point[1] as number];
}
