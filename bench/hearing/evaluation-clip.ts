// A piece of speech of which it is known when the mouth does what.
import type { Sound } from "../../src/audio/wav.ts";
import type { TimedViseme } from "../../src/hearing/timed-viseme.ts";

export interface EvaluationClip {
  id: string;
  /** ISO 639-1 code, or `und` if nobody said. */
  language: string;
  sound: Sound;
  /** In order of time, without overlaps; between them is silence. */
  visemes: TimedViseme[];
}

/** Length of the clip's sound, s. */
export function secondsOf({ sound }: EvaluationClip): number {
  return sound.samples.length / sound.sampleRateHz;
}
