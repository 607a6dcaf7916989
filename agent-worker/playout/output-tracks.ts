// Where the playout puts sound and pictures: a small part of a room's tracks, so that tests can stand in for a room.
import type { I420Frame } from "../../src/drawing/i420-frame.ts";

export interface OutputTracks {
  /** Sound handed over and not yet played, ms. */
  readonly queuedAudioMs: number;
  /** Hands a picture to the encoder at once. `timestampUs`: when it is to be seen, on any steady clock. */
  showPicture(frame: I420Frame, timestampUs: bigint): void;
  /** Queues int16 mono samples. Resolves when the queue has taken them. */
  queueSound(samples: Int16Array): Promise<void>;
  /** Empties the queue. */
  clearSound(): void;
}
