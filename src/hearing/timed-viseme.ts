// A mouth class and when it sounds: what a voice that knows its text can tell the mouth, besides the sound itself.
import type { Viseme } from "./visemes.ts";

export interface TimedViseme {
  viseme: Viseme;
  /** From the start of the sound that it came with, ms. For PP it is the time in which the lips are shut, not that of
   *  the burst. */
  startMs: number;
  endMs: number;
}
