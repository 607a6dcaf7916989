// A speech clip with reference visemes.
import type { PcmAudio } from "../../../src/signal/audio/wav.ts";
import type { TimedViseme } from "../../../src/speech/visemes/timed-viseme.ts";

export interface EvaluationClip {
  id: string;
  /** ISO 639-1 code, or `und` if unknown. */
  language: string;
  audio: PcmAudio;
  /** In order of time, without overlaps; between them is silence. */
  visemes: TimedViseme[];
}

/** Length of the clip's audio, s. */
export function secondsOf({ audio }: EvaluationClip): number {
  return audio.samples.length / audio.sampleRateHz;
}
