// Gaze: small quick jumps (saccades) with rests between them, mostly at the viewer. A function of seed and time.
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { hashUnit } from "./smooth-noise.ts";

/** One jump falls into each slot: rests of 0.3 to 2.3 s. */
const SLOT_MS = 1300;
const PLACE_MS = 1000;
/** A jump takes about two video frames, as eyes do for small angles. */
const JUMP_MS = 60;
/** Share of rests that look away from the viewer, and the largest deviation of these and of the other rests. */
const AWAY_SHARE = 0.16;
const AWAY_REACH = 0.45;
const NEAR_REACH = 0.1;
const STREAM = 21;

export interface Gaze {
  /** −1..1, as the face parameters gazeX and gazeY. */
  x: number;
  y: number;
}

/** Gaze at a time, ms ≥ 0. */
export function gazeAt(seed: number, timeMs: number): Gaze {
  const slot = Math.floor(timeMs / SLOT_MS);
  const startMs = slot * SLOT_MS + hashUnit(seed, STREAM, slot) * PLACE_MS;
  const moved = smoothstep(timeMs, startMs, startMs + JUMP_MS);
  const from = restingPoint(seed, slot - 1);
  const to = restingPoint(seed, slot);
  return { x: from.x + (to.x - from.x) * moved, y: from.y + (to.y - from.y) * moved };
}

function restingPoint(seed: number, slot: number): Gaze {
  const reach = hashUnit(seed, STREAM + 1, slot) < AWAY_SHARE ? AWAY_REACH : NEAR_REACH;
  return {
    x: (hashUnit(seed, STREAM + 2, slot) * 2 - 1) * reach,
    // Eyes move further sideways than up and down.
    y: (hashUnit(seed, STREAM + 3, slot) * 2 - 1) * reach * 0.5,
  };
}
