// The mesh of a face from several crops that differ a little: steadier than one reading, and how steady it is.
import type { ImagePyramid } from "../../signal/image/pyramid.ts";
import { eyeDistance } from "./eye-distance.ts";
import type { FaceCrop, FaceMesh, MeshReading } from "./face-mesh.ts";
import { LOWER_LIP_INNER, UPPER_LIP_INNER } from "./face-points.ts";
import { LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "./mesh-points.ts";

/** Points and presence are means of the readings. */
export interface SteadyReading extends MeshReading {
  /** Root mean square distance of the mouth's points from their means, in parts of the distance between the eyes. */
  mouthUnsteadiness: number;
}

/** Size factor, turn in radians, shift as a part of the crop's side. The errors of the readings partly cancel. */
const JITTERS = [
  { size: 1, turn: 0, dx: 0, dy: 0 },
  { size: 0.94, turn: 0.05, dx: 0.01, dy: 0 },
  { size: 0.97, turn: -0.05, dx: -0.01, dy: 0.01 },
  { size: 1.04, turn: 0.03, dx: 0, dy: -0.015 },
  { size: 1.08, turn: -0.03, dx: 0.005, dy: 0.01 },
  { size: 1.02, turn: 0.08, dx: -0.01, dy: 0 },
  { size: 0.98, turn: -0.08, dx: 0.01, dy: -0.01 },
];
const MOUTH = [
  ...new Set([...UPPER_LIP_OUTER, ...LOWER_LIP_OUTER, ...UPPER_LIP_INNER, ...LOWER_LIP_INNER]),
] as readonly number[];

/** Reads the crop and six others near it. */
export async function readSteadily(
  mesh: FaceMesh,
  pyramid: ImagePyramid,
  crop: FaceCrop,
  isMirrored = false,
): Promise<SteadyReading> {
  const readings: MeshReading[] = [];
  for (const { size, turn, dx, dy } of JITTERS) {
    const jittered = {
      centreX: crop.centreX + dx * crop.sizePx,
      centreY: crop.centreY + dy * crop.sizePx,
      sizePx: crop.sizePx * size,
      angleRad: crop.angleRad + turn,
    };
    readings.push(await mesh.read(pyramid, jittered, isMirrored));
  }
  const points = meanPoints(readings);
  return {
    points,
    presence: mean(readings.map(({ presence }) => presence)),
    mouthUnsteadiness: spreadOfMouth(readings, points) / eyeDistance(points),
  };
}

/** The mean of two or more readings, of their points and measures alike. */
export function meanReading(readings: readonly SteadyReading[]): SteadyReading {
  return {
    points: meanPoints(readings),
    presence: mean(readings.map(({ presence }) => presence)),
    mouthUnsteadiness: mean(readings.map(({ mouthUnsteadiness }) => mouthUnsteadiness)),
  };
}

function meanPoints(readings: readonly MeshReading[]): Float32Array {
  return readings[0].points.map((_, i) => mean(readings.map(({ points }) => points[i])));
}

/** Root mean square distance in the image plane, px. */
function spreadOfMouth(readings: readonly MeshReading[], centre: Float32Array): number {
  let sum = 0;
  for (const { points } of readings) {
    for (const index of MOUTH) {
      sum += (points[3 * index] - centre[3 * index]) ** 2 + (points[3 * index + 1] - centre[3 * index + 1]) ** 2;
    }
  }
  return Math.sqrt(sum / (MOUTH.length * readings.length));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
