// Text to speech: the interface of a voice. Implementations: `neural/neural-voice.ts`, `espeak-voice.ts`, and
// `default-voice.ts`, which chooses one of them.
import type { TimedViseme } from "../visemes/timed-viseme.ts";
import type { VoiceAxes } from "./shaping/voice-axes.ts";

export interface SpeechOptions {
  /** One of VOICE_IDS (`voice-catalogue.ts`), or the code of a designed voice (`shaping/designed-voice.ts`). Default
   *  `M1`. */
  voiceId?: string;
  /** Changes a voice of the catalogue; see `shaping/voice-axes.ts`. A designed voice has its own. Default: 0 on each
   *  axis. `DefaultVoice` follows them, single engines ignore them. */
  axes?: Partial<VoiceAxes>;
  /** ISO 639-1 code, a region after a hyphen is ignored (`en`, `pt-BR`). Default `en`. */
  language?: string;
  /** Tempo, 0.7 to 2.0; 1 is the voice's own. Default 1.05 (the contract's). */
  speed?: number;
  /** Speak short sentences with the next one, because alone they sound clipped. Default true. */
  joinsShort?: boolean;
}

/** A phoneme or word and where it is heard, in ms from the start of its sentence. */
export interface TimedSymbol {
  /** IPA for a phoneme (stress marks included), the written form for a word. */
  text: string;
  startMs: number;
  endMs: number;
}

export interface TimedWord extends TimedSymbol {
  /** Where the word is in the text that was given to the voice, from 0. */
  fromCharacter: number;
  /** Behind its last character. */
  toCharacter: number;
}

/** What is heard in a sentence, and when. */
export interface SentenceTimes {
  /** The sentence as it was written. */
  text: string;
  phonemes: TimedSymbol[];
  words: TimedWord[];
  /** Timed visemes; see `SegmentInput.push`. */
  visemes: TimedViseme[];
}

/** Audio as it is made: a sentence, or a part of one. */
export interface SpokenPiece {
  sampleRateHz: number;
  /** Mono, int16. */
  samples: Int16Array;
  /** With the first piece of a sentence: the times of the whole sentence. */
  sentence?: SentenceTimes;
  /** The last piece of a sentence ends with the pause that belongs to it. */
  endsSentence: boolean;
  /** With the end of a part of a long sentence: the next part follows. */
  goesOn?: true;
}

/** The audio of one sentence. */
export interface SpokenSentence extends SentenceTimes {
  sampleRateHz: number;
  /** Mono, int16. Ends with the pause that belongs to the sentence. */
  samples: Int16Array;
}

export interface Voice {
  /** Speaks a text sentence by sentence in pieces, each made when the caller requests it. Breaking out of the loop
   *  stops the voice. Throws EngineError: unknown-voice, invalid-input (language, speed), unavailable (no
   *  synthesizer, or too much waiting), timeout or program-failed (it failed). */
  synthesize(text: string, options?: SpeechOptions): AsyncIterable<SpokenPiece>;
  /** Loads ahead what the first sentence in this language needs: a listener waits for it. Safe to repeat. Never throws.
   *  A voice that loads nothing leaves it out. */
  warmUp?(language?: string): void;
  /** Ends the synthesizer; sentences not yet spoken fail. Idempotent. */
  close(): Promise<void>;
}
