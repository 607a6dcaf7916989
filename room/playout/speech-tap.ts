// Gets a copy of the speech that is played in the room. Times are ms of `performance.now`.

export interface SpeechTap {
  /** Speech was queued; its first sample leaves the queue at `atMs`. `samples`: mono, at the engine's rate; to be read
   *  before this returns. */
  played(samples: Int16Array, atMs: number): void;
  /** What would have left the queue from `atMs` on is not played. */
  cleared(atMs: number): void;
}
