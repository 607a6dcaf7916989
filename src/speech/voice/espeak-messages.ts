// Tasks of the synthesizer process, and their results.

/** One sentence to speak. */
export interface SentenceTask {
  text: string;
  /** The synthesizer's name for language and variant, for example `en-us+f2`. */
  voiceName: string;
  /** 0–100. */
  pitch: number;
  range: number;
  /** Words per minute, 80–450. */
  rateWpm: number;
  /** Leaves the samples out. */
  phonemesOnly?: boolean;
}

/** A phoneme that begins. */
export interface ReportedPhoneme {
  /** IPA, stress marks included. */
  text: string;
  /** From the start of the sentence. */
  startMs: number;
}

export interface SpokenSamples {
  sampleRateHz: number;
  /** Mono, int16. */
  samples: Int16Array;
  phonemes: ReportedPhoneme[];
  words: SpokenWord[];
}

/** A word as the synthesizer reports it. */
export interface SpokenWord {
  /** Position in the text of the task, in characters from 0. */
  fromCharacter: number;
  startMs: number;
}
