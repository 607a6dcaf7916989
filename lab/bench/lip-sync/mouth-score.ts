// Scores a sequence of mouth groups against the reference. Usual measure for viseme systems: a 100 Hz grid at offset 0,
// so that latency lowers the score.

import { groupOf, MOUTH_GROUPS, type MouthGroup, OPENNESS } from "../../../src/face/lip-sync/mouth-groups.ts";
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";

const GRID_MS = 10;
/** Openness is compared as a moving mean: the mouth cannot follow every phone. */
const OPENNESS_MEAN_STEPS = 8;

/** Mouth groups on the 10 ms grid. */
export type GroupCourse = readonly MouthGroup[];

export interface ScoredClip {
  reference: GroupCourse;
  detected: GroupCourse;
}

/** Shares are 0..1. F1 of bilabials counts closures, matched one to one by their middles; the other F1 count steps of
 *  the grid. */
export interface MouthScore {
  seconds: number;
  accuracy: number;
  macroF1: number;
  bilabialF1Within40Ms: number;
  bilabialF1Within80Ms: number;
  labiodentalF1: number;
  /** Correlation of mouth opening. */
  opennessCorrelation: number;
}

/** The reference on the grid; silence where it says nothing. */
export function courseOf(visemes: readonly TimedViseme[], durationMs: number): GroupCourse {
  const course = new Array<MouthGroup>(Math.ceil(durationMs / GRID_MS)).fill("silence");
  for (const { viseme, startMs, endMs } of visemes) {
    const end = Math.min(course.length, Math.round(endMs / GRID_MS));
    for (let step = Math.round(startMs / GRID_MS); step < end; step++) course[step] = groupOf(viseme);
  }
  return course;
}

/** Groups given at any rate, on the grid: each step takes what is shown at its middle. */
export function resampleCourse(groups: GroupCourse, stepMs: number, durationMs: number): GroupCourse {
  return Array.from({ length: Math.ceil(durationMs / GRID_MS) }, (_, step) => {
    const index = Math.floor(((step + 0.5) * GRID_MS) / stepMs);
    return groups[Math.min(index, groups.length - 1)] ?? "silence";
  });
}

/** Scores all clips together. Both sequences of a clip must have the same length. */
export function scoreMouth(clips: readonly ScoredClip[]): MouthScore {
  const confusion = countConfusion(clips);
  const f1 = MOUTH_GROUPS.map((group) => {
    const both = confusion.get(key(group, group)) ?? 0;
    const named = MOUTH_GROUPS.reduce(
      (sum, other) => sum + count(confusion, other, group) + count(confusion, group, other),
      0,
    );
    return named === 0 ? 0 : (2 * both) / named;
  });
  const steps = clips.reduce((sum, { reference }) => sum + reference.length, 0);
  const hits = MOUTH_GROUPS.reduce((sum, group) => sum + count(confusion, group, group), 0);
  return {
    seconds: (steps * GRID_MS) / 1000,
    accuracy: hits / steps,
    macroF1: f1.reduce((sum, value) => sum + value, 0) / f1.length,
    bilabialF1Within40Ms: closureF1(clips, 40),
    bilabialF1Within80Ms: closureF1(clips, 80),
    labiodentalF1: f1[MOUTH_GROUPS.indexOf("labiodental")],
    opennessCorrelation: correlation(
      clips.flatMap(({ reference }) => opennessOf(reference)),
      clips.flatMap(({ detected }) => opennessOf(detected)),
    ),
  };
}

/** Offsets that are tried, in steps of the grid: 200 ms early to 300 ms late. */
const EARLIEST_STEPS = -20;
const LATEST_STEPS = 30;

/** The score at the offset with the best accuracy: the score if the audio were delayed by that offset. */
export function scoreAtBestOffset(clips: readonly ScoredClip[]): MouthScore & { offsetMs: number } {
  let best = { offsetMs: 0, hits: -1, clips };
  for (let steps = EARLIEST_STEPS; steps <= LATEST_STEPS; steps++) {
    const shifted = clips.map(({ reference, detected }) => ({ reference, detected: shift(detected, steps) }));
    const hits = shifted.reduce((sum, { reference, detected }) => {
      return sum + reference.filter((group, step) => group === detected[step]).length;
    }, 0);
    if (hits > best.hits) best = { offsetMs: steps * GRID_MS, hits, clips: shifted };
  }
  return { ...scoreMouth(best.clips), offsetMs: best.offsetMs };
}

/** The sequence shifted `steps` earlier. */
function shift(course: GroupCourse, steps: number): GroupCourse {
  return course.map((_, step) => course[Math.min(course.length - 1, Math.max(0, step + steps))]);
}

type Confusion = Map<string, number>;
const key = (reference: MouthGroup, detected: MouthGroup) => `${reference}/${detected}`;
const count = (confusion: Confusion, reference: MouthGroup, detected: MouthGroup) =>
  confusion.get(key(reference, detected)) ?? 0;

function countConfusion(clips: readonly ScoredClip[]): Confusion {
  const confusion: Confusion = new Map();
  for (const { reference, detected } of clips) {
    if (reference.length !== detected.length)
      throw new RangeError("both sequences of a clip must have the same length");
    for (const [step, group] of reference.entries()) {
      const pair = key(group, detected[step]);
      confusion.set(pair, (confusion.get(pair) ?? 0) + 1);
    }
  }
  return confusion;
}

function closureF1(clips: readonly ScoredClip[], toleranceMs: number): number {
  let matched = 0;
  let all = 0;
  for (const { reference, detected } of clips) {
    const [expected, shown] = [closureMiddlesMs(reference), closureMiddlesMs(detected)];
    matched += matchNearest(expected, shown, toleranceMs);
    all += expected.length + shown.length;
  }
  return all === 0 ? 0 : (2 * matched) / all;
}

/** Middles of the runs of bilabials, ms. */
function closureMiddlesMs(course: GroupCourse): number[] {
  const middles: number[] = [];
  for (let from = 0; from < course.length; from++) {
    if (course[from] !== "bilabial") continue;
    let to = from;
    while (course[to] === "bilabial") to += 1;
    middles.push(((from + to) / 2) * GRID_MS);
    from = to;
  }
  return middles;
}

/** Number of one-to-one matches, nearest first. */
function matchNearest(expected: readonly number[], shown: readonly number[], toleranceMs: number): number {
  const pairs = expected
    .flatMap((a, i) => shown.map((b, j) => ({ i, j, distanceMs: Math.abs(a - b) })))
    .filter(({ distanceMs }) => distanceMs <= toleranceMs)
    .sort((a, b) => a.distanceMs - b.distanceMs);
  const taken = { i: new Set<number>(), j: new Set<number>() };
  for (const { i, j } of pairs) {
    if (taken.i.has(i) || taken.j.has(j)) continue;
    taken.i.add(i);
    taken.j.add(j);
  }
  return taken.i.size;
}

function opennessOf(course: GroupCourse): number[] {
  const values = course.map((group) => OPENNESS[group]);
  const before = OPENNESS_MEAN_STEPS / 2;
  return values.map((_, step) => {
    const near = values.slice(Math.max(0, step - before), step + before);
    return near.reduce((sum, value) => sum + value, 0) / near.length;
  });
}

/** Pearson's; 0 if either does not vary. */
function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    ab += (a[k] - meanA) * (b[k] - meanB);
    aa += (a[k] - meanA) ** 2;
    bb += (b[k] - meanB) ** 2;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
}
