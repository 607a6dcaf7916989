// How fast each parameter of a gesture may change: beyond, a viewer sees a jump and not a movement.
import { FACE_PARAMETER_COUNT, type FaceParameterName, toParameterVector } from "../../../shared/face-parameters.ts";

/** Largest change from one frame (40 ms) to the next. Heads turn at up to 80° a second in a shake; lids shut within
 *  two frames, and eyes jump within two. */
export const GESTURE_STEP_LIMITS: Readonly<Record<FaceParameterName, number>> = Object.freeze({
  close: 0.1,
  jaw: 0.14,
  funnel: 0.18,
  pucker: 0.2,
  wide: 0.12,
  smile: 0.12,
  upraise: 0.12,
  lowdep: 0.12,
  rollU: 0.12,
  rollL: 0.12,
  blinkL: 0.55,
  blinkR: 0.55,
  brow: 0.24,
  gazeX: 0.62,
  gazeY: 0.4,
  yaw: 0.3,
  pitch: 0.26,
  roll: 0.2,
  tx: 0.12,
  ty: 0.26,
  tongue: 0.1,
  cheeks: 0.12,
  lowerLids: 0.16,
  fold: 0.12,
  browInner: 0.24,
  browOuter: 0.24,
  browsTogether: 0.2,
  lidsRaised: 0.3,
  noseWrinkle: 0.14,
  cornersDown: 0.12,
  press: 0.12,
  stretch: 0.12,
  lopsided: 0.08,
});
const LIMITS = toParameterVector(GESTURE_STEP_LIMITS);

/** Makes a movement smaller where it would be too fast: each parameter of a track (float32 [frames × 33]) as a whole,
 *  so that it keeps its course. */
export function limitSpeed(track: Float32Array): void {
  for (let k = 0; k < FACE_PARAMETER_COUNT; k++) {
    let largest = 0;
    for (let at = k + FACE_PARAMETER_COUNT; at < track.length; at += FACE_PARAMETER_COUNT) {
      largest = Math.max(largest, Math.abs(track[at] - track[at - FACE_PARAMETER_COUNT]));
    }
    if (largest <= LIMITS[k]) continue;
    for (let at = k; at < track.length; at += FACE_PARAMETER_COUNT) track[at] *= LIMITS[k] / largest;
  }
}
