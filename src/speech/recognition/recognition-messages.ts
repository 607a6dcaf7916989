// Tasks of the recogniser's process. Its result is a `Recognition`.

export interface RecognitionTask {
  /** Mono. */
  samples: Int16Array;
  /** 8 to 192 kHz. */
  sampleRateHz: number;
  /** Expected language, a BCP 47 tag. */
  language?: string;
}
