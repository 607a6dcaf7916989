// Counters of the engine.

export interface EngineStats {
  /** Steps with a video frame that was rendered or skipped. */
  ticks: number;
  /** Steps in which a started segment waited for its sender. */
  starvedTicks: number;
  /** Samples, at the sender's rate, that were dropped because a queue was full. */
  droppedSamples: number;
  /** Wall-clock time spent in the audio-to-viseme network and in the renderer since the start, ms. */
  lipSyncMs: number;
  renderMs: number;
}
