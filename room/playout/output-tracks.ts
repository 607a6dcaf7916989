// Where the pacer sends audio and video frames. A small part of a room's tracks, so that tests can replace the room.
import type { I420Frame } from "../../src/signal/image/i420-frame.ts";

export interface OutputTracks {
  /** Audio queued and not yet played, ms. */
  readonly queuedAudioMs: number;
  /** Hands a video frame to the encoder at once. `timestampUs`: its presentation time, on any monotonic clock. */
  showFrame(frame: I420Frame, timestampUs: bigint): void;
  /** Queues int16 mono samples, at most 600 ms. They are copied before this returns, so the caller may reuse the array.
   *  Resolves when the queue has accepted them. */
  queueAudio(samples: Int16Array): Promise<void>;
  /** Empties the audio queue. */
  clearAudio(): void;
}
