// The pose at rest: the expression of the photo with the mouth closed.
import type { FacePose } from "../../../shared/face-parameters.ts";
import { type MouthFrame, seamV } from "./measure/mouth-frame.ts";

/** How far the middle of a calm mouth is below its corners, in half mouth widths. */
const CALM_SAG = 0.04;
/** How far smile = 1 lifts the corners. */
const SMILE_LIFT = 0.2;
/** A broad smile with teeth does not suit a closed mouth, so most of it is removed; some of it stays. */
const SMILE_TAKEN_BACK = 0.8;
const MOST_TAKEN_BACK = 0.8;
/** Lips that are parted less than this count as closed in the photo and keep their smile. */
export const PARTED_GAP = 0.06;

/** Share of the photo's smile that the rest pose removes, 0..0.8. */
export function smileTakenBack(mouth: MouthFrame): number {
  if (mouth.maxGap < PARTED_GAP) return 0;
  const lift = (seamV(mouth, 0) - CALM_SAG) / SMILE_LIFT;
  return Math.min(MOST_TAKEN_BACK, Math.max(0, SMILE_TAKEN_BACK * lift));
}

/** Parameters that close the mouth, and remove the part of a smile that belongs to bared teeth. */
export function restPoseOf(mouth: MouthFrame): FacePose {
  if (mouth.maxGap < PARTED_GAP) return { close: 1 };
  const taken = smileTakenBack(mouth);
  return { close: 1, smile: -taken, wide: -0.35 * taken };
}
