// The end of a sentence: where its sound ends, and the pause behind it.
import { NEURAL_SAMPLE_RATE_HZ } from "./network-graphs.ts";

/** Pause after each mark at the end of a sentence, or of a clause that is cut off a long one, ms. */
const PAUSES_MS: readonly (readonly [RegExp, number])[] = [
  [/[.!?…]/u, 320],
  [/[;:—]/u, 200],
  [/,/u, 120],
];
const SHORTEST_PAUSE_MS = 80;
/** Quieter than this is breath or silence. int16. */
const QUIET = 200;
const FADE_S = 0.01;

/** The pause behind a sentence that ends with this mark, ms. */
export function pauseAfter(mark: string): number {
  return PAUSES_MS.find(([marks]) => marks.test(mark))?.[1] ?? SHORTEST_PAUSE_MS;
}

/** Number of samples until the sound has ended. Fades out the samples before it, so that the end makes no click. */
export function endOfSound(samples: Int16Array, sampleRateHz = NEURAL_SAMPLE_RATE_HZ): number {
  const fade = Math.round(FADE_S * sampleRateHz);
  let last = samples.length;
  while (last > 0 && Math.abs(samples[last - 1]) < QUIET) last--;
  const end = Math.min(samples.length, last + fade);
  for (let i = Math.max(0, end - fade); i < end; i++) samples[i] *= (end - i) / fade;
  return end;
}
