// Divides the time of one phoneme among its visemes.
import type { TimedViseme } from "../visemes/timed-viseme.ts";
import type { Viseme } from "../visemes/visemes.ts";

/** Share of a diphthong's time that belongs to its first part. Source: the split that the lip-sync network is trained
 *  with. */
const FIRST_PART = 0.6;

/** The visemes in order, without gaps between the two times (ms). Never throws. */
export function splitVisemes(visemes: readonly Viseme[], startMs: number, endMs: number): TimedViseme[] {
  const rest = visemes.length - 1;
  const first = rest === 0 ? 1 : rest === 1 ? FIRST_PART : 1 / visemes.length;
  const at = (share: number) => startMs + (endMs - startMs) * share;
  const edge = (index: number) => (index === 0 ? 0 : rest === 0 ? 1 : first + ((index - 1) * (1 - first)) / rest);
  return visemes.map((viseme, index) => ({ viseme, startMs: at(edge(index)), endMs: at(edge(index + 1)) }));
}
