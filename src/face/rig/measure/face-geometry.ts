// Measurements that a bake takes from the face points of one region.

import {
  centroid,
  type FaceOval,
  type FacePoints,
  faceOval,
  LEFT_EYE,
  pointsAt,
  RIGHT_EYE,
} from "../../portrait/face-points.ts";
import { createEyeFrame, type EyeFrame } from "./eye-frame.ts";
import { createMouthFrame, type MouthFrame } from "./mouth-frame.ts";

/** Mean distance between the pupils of adults, mm: the scale of a face. */
const PUPIL_DISTANCE_MM = 63;
/** How far the chin drops at jaw = 1. */
export const JAW_DROP_MM = 18;

export interface Glasses {
  /** v at which the lower rim of the left and of the right lens in the image ends, in the frame of its eye. */
  rimBottoms: readonly [number, number];
}

export interface FaceGeometry {
  /** Side of the square region; all pixel positions are relative to its top left. */
  regionPx: number;
  points: FacePoints;
  mouth: MouthFrame;
  /** Left and right eye in the image. */
  eyes: readonly [EyeFrame, EyeFrame];
  /** Spectacles, if they were found (`fitToGlasses`). */
  glasses: Glasses | null;
  oval: FaceOval;
  pixelsPerMm: number;
  /** Jaw drop at jaw = 1, in units of the mouth frame. */
  jawDrop: number;
}

/** `points` in pixels of the region. Throws RangeError if mouth or eyes have no width. */
export function createFaceGeometry(points: FacePoints, regionPx: number): FaceGeometry {
  const mouth = createMouthFrame(points);
  const left = centroid(pointsAt(points, LEFT_EYE.upper));
  const right = centroid(pointsAt(points, RIGHT_EYE.upper));
  const pixelsPerMm = Math.hypot(right.x - left.x, right.y - left.y) / PUPIL_DISTANCE_MM;
  return {
    regionPx,
    points,
    mouth,
    eyes: [createEyeFrame(points, LEFT_EYE), createEyeFrame(points, RIGHT_EYE)],
    glasses: null,
    oval: faceOval(points),
    pixelsPerMm,
    jawDrop: (JAW_DROP_MM * pixelsPerMm) / mouth.frame.unitPx,
  };
}
