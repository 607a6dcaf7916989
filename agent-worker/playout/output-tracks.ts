// Where the pacer puts audio and video frames: a small part of a room's tracks, so that tests can stand in for a room.
import type { I420Frame } from "../../src/drawing/i420-frame.ts";

export interface OutputTracks {
  /** Audio handed over and not yet played, ms. */
  readonly queuedAudioMs: number;
  /** Hands a video frame to the encoder at once. `timestampUs`: when it is to be seen, on any steady clock. */
  showFrame(frame: I420Frame, timestampUs: bigint): void;
  /** Queues int16 mono samples. They are copied before this returns: the caller may use the array again. Resolves when
   *  the queue has taken them. */
  queueAudio(samples: Int16Array): Promise<void>;
  /** Empties the audio queue. */
  clearAudio(): void;
}
