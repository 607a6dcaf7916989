// The audio-to-viseme network of one stream: takes audio in hops of 40 ms, returns visemes, and keeps state
// between hops.

/** Output for one hop; frames in order of time. Valid until the next `run`. */
export interface LipSyncOutput {
  /** Posteriors, float32 [2 × 15], each frame of 15 sums to 1; order of VISEMES. */
  visemes: Float32Array;
  /** Probability that the lips are shut, float32 [2]. */
  closures: Float32Array;
}

/** The network for one stream. Each stream needs its own, because the state belongs to the stream; streams share the
 *  weights. */
export interface LipSyncNetwork {
  /** Runs the network on the next 40 ms: float32 [640] in [−1, 1], 16 kHz mono. Calls must not overlap. Throws, or
   *  rejects with, RangeError on any other length. */
  run(hop: Float32Array): LipSyncOutput | Promise<LipSyncOutput>;
  /** Resets the state: the next hop begins a new stream. */
  reset(): void;
  /** Releases the stream. Idempotent. */
  close(): Promise<void>;
}
