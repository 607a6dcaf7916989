// The network's output for the video frames of one segment that were not taken yet.

import type { TimedViseme } from "../../speech/visemes/timed-viseme.ts";
import type { SpeechFeatures } from "../lip-sync/lip-sync-stream.ts";
import { blendWithText, VisemeTrack } from "../lip-sync/viseme-track.ts";

/** Frames are numbered from the segment's start. */
export class LipSyncFrames {
  /** The first one is frame `#first`. */
  #frames: SpeechFeatures[] = [];
  #first = 0;
  readonly #text = new VisemeTrack();

  /** Mouth shapes that are known from the text, by their times from `startMs` in the segment's audio. */
  addText(visemes: readonly TimedViseme[], startMs: number): void {
    this.#text.add(visemes, startMs);
  }

  /** `durationMs` of audio at `atMs` was removed. */
  leaveOut(atMs: number, durationMs: number): void {
    this.#text.leaveOut(atMs, durationMs);
  }

  push(...frames: readonly SpeechFeatures[]): void {
    this.#frames.push(...frames);
  }

  /** True if `take` can take this frame: it is computed and not dropped yet. */
  has(index: number): boolean {
    return index >= this.#first && index < this.#first + this.#frames.length;
  }

  /** The frame, corrected by the mouth shapes if they are known. Drops those before it. Throws RangeError unless
   *  `has`. */
  take(index: number): SpeechFeatures {
    const frame = this.#frames[index - this.#first];
    if (!frame) throw new RangeError(`frame ${index} of the segment is not computed`);
    this.#frames.splice(0, index - this.#first);
    this.#first = index;
    const text = this.#text.frame(index);
    return text ? blendWithText(frame, text) : frame;
  }

  clear(): void {
    this.#frames = [];
  }
}
