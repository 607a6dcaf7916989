// Blinks: when and how the lids close, as a function of seed and time.
import { hashUnit } from "./smooth-noise.ts";

/** One blink falls into each slot of this length, at a random place: intervals from 0.9 to 6.1 s, 3.5 s on average, as
 *  people do at rest. */
const SLOT_MS = 3500;
const PLACE_MS = 2600;
/** Share of double blinks, and the gap between their two blinks. */
const DOUBLE_SHARE = 0.12;
const DOUBLE_GAP_MS = 320;
/** Lid position over a blink, one value per 40 ms from its start: shut within two video frames, open again in five. */
const ENVELOPE = [0.45, 1, 1, 0.72, 0.4, 0.16, 0.04];
const ENVELOPE_STEP_MS = 40;
const STREAM = 11;

/** Lid position at a time (ms ≥ 0), from 0 (open) to 1 (shut). */
export function blinkAt(seed: number, timeMs: number): number {
  const slot = Math.floor(timeMs / SLOT_MS);
  let lids = 0;
  for (const k of [slot - 1, slot]) {
    if (k < 0) continue;
    const startMs = k * SLOT_MS + 400 + hashUnit(seed, STREAM, k) * PLACE_MS;
    lids = Math.max(lids, envelopeAt(timeMs - startMs));
    if (hashUnit(seed, STREAM + 1, k) < DOUBLE_SHARE)
      lids = Math.max(lids, envelopeAt(timeMs - startMs - DOUBLE_GAP_MS));
  }
  return lids;
}

function envelopeAt(sinceMs: number): number {
  const step = sinceMs / ENVELOPE_STEP_MS;
  const index = Math.floor(step);
  if (index < -1 || index >= ENVELOPE.length) return 0;
  const before = ENVELOPE[index] ?? 0;
  const after = ENVELOPE[index + 1] ?? 0;
  return before + (after - before) * (step - index);
}
