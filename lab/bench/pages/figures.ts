// What the pages bench prints: values beside their goals.
import { percentile } from "../percentile.ts";
import { round } from "../round.ts";

/** What was measured several times. */
export interface Spread {
  median: number;
  all: number[];
}

/** A median beside its goal, with what it is the median of. */
export interface Metric extends Spread {
  goal: number;
}

export interface Figure {
  value: number;
  goal: number;
}

export function figure(value: number, goal: number): Figure {
  return { value: round(value), goal };
}

/** Throws RangeError without values. */
export function metric(values: readonly number[], goal: number): Metric {
  return { goal, ...spread(values) };
}

/** Throws RangeError without values. */
export function spread(values: readonly number[]): Spread {
  return { median: Math.round(percentile(values, 0.5)), all: values.map(Math.round) };
}
