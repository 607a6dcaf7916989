// Quality of mouth motion: visible closures, jaw reversals, flicker.
import { FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../shared/units.ts";
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";

/** Tolerance between a closure and its time in the audio: 1.5 frames. */
const CLOSURE_TOLERANCE_MS = 60;
/** Chance is taken from speech this far from any closure. */
const FREE_OF_CLOSURES_MS = 150;
/** Upper lip rolled in to 80 % of a closure: only P, B and M do that. */
const LIPS_SHUT = 0.36;
/** Smaller jaw steps count as rest: 0.07 mm. */
const JAW_MOVES = 0.004;

/** The mouth of one clip, one entry per frame. */
export interface MouthCourse {
  /** Lip closure 0..1; above 0.5 counts as closed, in speech or at rest. */
  closed: readonly number[];
  /** Face parameters relative to rest. */
  parameters: readonly ArrayLike<number>[];
}

/** Sums over all clips, so that long clips weigh more. */
export interface MotionCount {
  closures: number;
  closuresSeen: number;
  /** Frames of speech far from any closure, and how many of them look closed. */
  freeFrames: number;
  freeFramesShut: number;
  /** Frames in which the reference speaks. */
  spokenFrames: number;
  jawTurns: number;
  /** Openings that last for a single frame. */
  blinks: number;
}

/** Counts one clip. */
export function countMotion(course: MouthCourse, visemes: readonly TimedViseme[]): MotionCount {
  const closures = closuresOf(visemes);
  const middles = closures.map(({ startMs, endMs }) => (startMs + endMs) / 2);
  const shut = course.closed.map((value, k) => value > 0.5 || course.parameters[k][UPPER_LIP] >= LIPS_SHUT);
  const middleOf = (frame: number) => (frame + 0.5) * HOP_MS;
  const isShutNear = (timeMs: number) =>
    shut.some((isShut, k) => isShut && Math.abs(middleOf(k) - timeMs) <= CLOSURE_TOLERANCE_MS);
  const spoken = course.closed.map((_, k) =>
    visemes.some((timed) => timed.viseme !== "sil" && covers(timed, middleOf(k))),
  );
  const free = course.closed
    .map((_, k) => middleOf(k))
    .filter(
      (timeMs) => isRunning(visemes, timeMs) && middles.every((at) => Math.abs(at - timeMs) >= FREE_OF_CLOSURES_MS),
    );
  const steps = course.parameters.slice(1).map((row, k) => row[JAW] - course.parameters[k][JAW]);
  const moves = steps.filter((step) => Math.abs(step) > JAW_MOVES).map(Math.sign);
  return {
    closures: closures.length,
    closuresSeen: middles.filter(isShutNear).length,
    freeFrames: free.length,
    freeFramesShut: free.filter(isShutNear).length,
    spokenFrames: spoken.filter(Boolean).length,
    jawTurns: moves.slice(1).filter((move, k) => move !== moves[k]).length,
    blinks: shut.filter((isShut, k) => !isShut && shut[k - 1] && shut[k + 1]).length,
  };
}

/** The metrics of all clips together. */
export function motionMetrics(counts: readonly MotionCount[]) {
  const sum = (of: (count: MotionCount) => number) => counts.reduce((total, count) => total + of(count), 0);
  const seen = sum((count) => count.closuresSeen) / sum((count) => count.closures);
  const chance =
    sum((count) => count.freeFramesShut) /
    Math.max(
      1,
      sum((count) => count.freeFrames),
    );
  const spokenS = (sum((count) => count.spokenFrames) * HOP_MS) / 1000;
  return {
    closures: sum((count) => count.closures),
    closuresSeen: seen,
    closuresSeenLessChance: (seen - chance) / (1 - chance),
    jawTurnsPerS: sum((count) => count.jawTurns) / spokenS,
    singleFrameOpeningsPerMinute: (60 * sum((count) => count.blinks)) / spokenS,
  };
}

const JAW = FACE_PARAMETER_INDEX.jaw;
const UPPER_LIP = FACE_PARAMETER_INDEX.rollU;

/** Times of closed lips; adjacent ones are merged. */
export function closuresOf(visemes: readonly TimedViseme[]): { startMs: number; endMs: number }[] {
  const closures: { startMs: number; endMs: number }[] = [];
  for (const { viseme, startMs, endMs } of visemes) {
    const last = closures.at(-1);
    if (viseme !== "PP") continue;
    if (last && startMs - last.endMs < 5) last.endMs = endMs;
    else closures.push({ startMs, endMs });
  }
  return closures;
}

function covers({ startMs, endMs }: TimedViseme, timeMs: number): boolean {
  return startMs <= timeMs && timeMs < endMs;
}

/** True within speech, pauses and their edges left out. */
function isRunning(visemes: readonly TimedViseme[], timeMs: number): boolean {
  const margin = FREE_OF_CLOSURES_MS / 2;
  return [-margin, 0, margin].every((shift) => {
    return visemes.some((timed) => timed.viseme !== "sil" && covers(timed, timeMs + shift));
  });
}
