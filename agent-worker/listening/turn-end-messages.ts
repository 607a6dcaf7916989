// Tasks of the end-of-turn model's process. Its result is a probability, 0 to 1.

export interface TurnEndTask {
  /** The end of the turn so far, at most 1.2 s, mono at 16 kHz. */
  samples: Int16Array;
}
