// Counts holes in received speech: places where the listener heard (almost) nothing while the sender was speaking.
import { type Alignment, MATCH_RATE_HZ, WINDOW_SAMPLES } from "./audio-delay.ts";

const STEP_MS = 5;
const STEP_SAMPLES = (MATCH_RATE_HZ * STEP_MS) / 1000;
/** What was sent must be loud for this many steps before and after: closures of P, B, T and pauses do not count, and
 *  the alignment may be off by as much. */
const MARGIN_STEPS = 5;
/** Root of the mean square above which a step of sent speech is loud. */
const LOUD_LEVEL = 400;
/** A step that was heard with a smaller share of the level that was sent is a hole. */
const QUIET_SHARE = 0.15;
/** Holes closer than this are one, steps. */
const SAME_HOLE_STEPS = 4;

/** Number of holes of 5 ms or more. Speech that was not found at all counts one hole a half-second. */
export function countAudioHoles({ sent, heard, windows }: Alignment): number {
  const sentLevels = levelsOf(sent.samples);
  const heardLevels = levelsOf(heard.samples);
  const windowSteps = WINDOW_SAMPLES / STEP_SAMPLES;
  const quietSteps: number[] = [];
  let lost = 0;
  let previousEnd: number | null = null;
  for (const { sentFrom, heardFrom } of windows) {
    const sentStep = sentFrom / STEP_SAMPLES;
    if (heardFrom === null) {
      lost += 1;
      previousEnd = null;
      continue;
    }
    const heardStep = Math.round(heardFrom / STEP_SAMPLES);
    // Audio that was inserted between two windows belongs to the beginning of the later one.
    for (let step = previousEnd ?? heardStep; step < heardStep; step++) {
      if (isQuiet(sentLevels, sentStep, heardLevels[step])) quietSteps.push(step);
    }
    for (let step = 0; step < windowSteps; step++) {
      if (isQuiet(sentLevels, sentStep + step, heardLevels[heardStep + step])) quietSteps.push(heardStep + step);
    }
    const isFollowed = windows.some((next) => next.sentFrom === sentFrom + WINDOW_SAMPLES);
    previousEnd = isFollowed ? heardStep + windowSteps : null;
  }
  quietSteps.sort((a, b) => a - b);
  const holes = quietSteps.filter((step, index) => index === 0 || step - quietSteps[index - 1] > SAME_HOLE_STEPS);
  return holes.length + lost;
}

function isQuiet(sentLevels: Float32Array, step: number, heardLevel: number | undefined): boolean {
  let least = Number.POSITIVE_INFINITY;
  for (let near = step - MARGIN_STEPS; near <= step + MARGIN_STEPS; near++)
    least = Math.min(least, sentLevels[near] ?? 0);
  return heardLevel !== undefined && least > LOUD_LEVEL && heardLevel < QUIET_SHARE * least;
}

/** Root of the mean square of each step. */
function levelsOf(samples: Float32Array): Float32Array {
  const levels = new Float32Array(Math.floor(samples.length / STEP_SAMPLES));
  for (let step = 0; step < levels.length; step++) {
    let sum = 0;
    for (let index = step * STEP_SAMPLES; index < (step + 1) * STEP_SAMPLES; index++) sum += samples[index] ** 2;
    levels[step] = Math.sqrt(sum / STEP_SAMPLES);
  }
  return levels;
}
