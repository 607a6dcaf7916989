// What the engine counts about itself.

export interface EngineStats {
  ticks: number;
  /** Ticks in which a segment that had begun had to wait for its sender. */
  starvedTicks: number;
  /** Samples, at the sender's rate, that were dropped because a queue was full. */
  droppedSamples: number;
  /** Time spent in the hearing network and in drawing since the start, wall clock, ms. */
  hearingMs: number;
  drawingMs: number;
}
