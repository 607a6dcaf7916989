// The pose at rest: the expression of the photo with the mouth closed.
import type { FacePose } from "../../shared/face-parameters.ts";
import { type MouthFrame, seamV } from "./measure/mouth-frame.ts";

/** How far a calm mouth's middle lies below its corners, in half mouth widths. */
const CALM_SAG = 0.04;
/** How far smile = 1 lifts the corners. */
const SMILE_LIFT = 0.2;
/** Teeth shown in a broad smile do not suit a closed mouth; some of the smile stays. */
const SMILE_TAKEN_BACK = 0.8;
const MOST_TAKEN_BACK = 0.8;
/** Lips parted less than this were closed when the photo was taken, and keep their smile. */
export const PARTED_GAP = 0.06;

/** How much of the photo's smile the rest pose takes back, 0..0.8. */
export function smileTakenBack(mouth: MouthFrame): number {
  if (mouth.maxGap < PARTED_GAP) return 0;
  const lift = (seamV(mouth, 0) - CALM_SAG) / SMILE_LIFT;
  return Math.min(MOST_TAKEN_BACK, Math.max(0, SMILE_TAKEN_BACK * lift));
}

/** Parameters that close the mouth, and take back the part of a smile that belongs to bared teeth. */
export function restPoseOf(mouth: MouthFrame): FacePose {
  if (mouth.maxGap < PARTED_GAP) return { close: 1 };
  const taken = smileTakenBack(mouth);
  return { close: 1, smile: -taken, wide: -0.35 * taken };
}
