// Tasks of the recogniser's process. Its result is a `Recognition`.

export interface RecognitionTask {
  /** Mono at 16 kHz. */
  samples: Int16Array;
  /** Expected language, a BCP 47 tag. */
  language?: string;
}
