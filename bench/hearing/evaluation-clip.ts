// A speech clip with reference visemes.
import type { Sound } from "../../src/audio/wav.ts";
import type { TimedViseme } from "../../src/hearing/timed-viseme.ts";

export interface EvaluationClip {
  id: string;
  /** ISO 639-1 code, or `und` if unknown. */
  language: string;
  sound: Sound;
  /** In order of time, without overlaps; between them is silence. */
  visemes: TimedViseme[];
}

/** Length of the clip's audio, s. */
export function secondsOf({ sound }: EvaluationClip): number {
  return sound.samples.length / sound.sampleRateHz;
}
