// Text to speech: the interface of a voice. Implementations: `espeak-voice.ts`.
import type { TimedViseme } from "../hearing/timed-viseme.ts";

export interface SpeechOptions {
  /** One of VOICE_IDS (`voice-catalogue.ts`). Default `M1`. */
  voiceId?: string;
  /** ISO 639-1 code, a region after a hyphen is ignored (`en`, `pt-BR`). Default `en`. */
  language?: string;
  /** Tempo, 0.7 to 2.0; 1 is the voice's own. Default 1.05 (the contract's). */
  speed?: number;
}

/** A phoneme or word and where it sounds, in ms from the start of its sentence. */
export interface TimedSymbol {
  /** IPA for a phoneme (stress marks included), the written form for a word. */
  text: string;
  startMs: number;
}

/** The audio of one sentence. */
export interface SpokenSentence {
  text: string;
  sampleRateHz: number;
  /** Mono, int16. Ends with the pause that belongs to the sentence. */
  samples: Int16Array;
  phonemes: TimedSymbol[];
  words: TimedSymbol[];
  /** Timed visemes, if the voice knows them; see `SegmentInput.push`. */
  visemes: TimedViseme[];
}

export interface Voice {
  /** Speaks a text sentence by sentence, each synthesized when the caller requests it. Breaking out of the loop stops
   *  synthesis. Throws EngineError: unknown-voice, invalid-input (language, speed), unavailable (no
   *  synthesizer, or too much waiting), timeout or program-failed (it failed). */
  synthesize(text: string, options?: SpeechOptions): AsyncIterable<SpokenSentence>;
  /** Ends the synthesizer; sentences not yet spoken fail. Idempotent. */
  close(): Promise<void>;
}
