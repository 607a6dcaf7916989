// A viseme with its time, which a speech synthesizer gives with its audio.
import type { Viseme } from "./visemes.ts";

export interface TimedViseme {
  viseme: Viseme;
  /** From the start of the audio that it came with, ms. For PP this is the time in which the lips are shut, not that of
   *  the burst. */
  startMs: number;
  endMs: number;
}
