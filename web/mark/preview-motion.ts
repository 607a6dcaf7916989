// How the preview moves: it says "ah", then blinks, again and again.
import { type FacePose, toParameterVector } from "../../shared/face-parameters.ts";
import { SHEET_POSES } from "../../src/face/rendering/sheet-poses.ts";
import { smoothstep } from "../../src/signal/math/smoothstep.ts";

/** Length of one round, ms. */
export const ROUND_MS = 3200;
/** The mouth opens and closes within this time. */
const MOUTH_MS = 240;
const AH = { fromMs: 400, untilMs: 1500 };
const BLINK = { fromMs: 2100, untilMs: 2360 };
const LIDS_MS = 100;

/** Face parameters at a time of the round: float32 [33], rest pose included. */
export function previewPose(restPose: FacePose, timeMs: number): Float32Array {
  const pose = toParameterVector(restPose);
  add(pose, SHEET_POSES.AA, share(timeMs, AH, MOUTH_MS));
  add(pose, SHEET_POSES.blink, share(timeMs, BLINK, LIDS_MS));
  return pose;
}

/** 0 outside of a span, 1 inside, with soft edges. */
function share(timeMs: number, { fromMs, untilMs }: typeof AH, edgeMs: number): number {
  return smoothstep(timeMs, fromMs, fromMs + edgeMs) * (1 - smoothstep(timeMs, untilMs - edgeMs, untilMs));
}

function add(pose: Float32Array, change: FacePose, strength: number): void {
  for (const [index, value] of toParameterVector(change).entries()) pose[index] += strength * value;
}
