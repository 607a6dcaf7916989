// What the voice and its synthesizer process say to each other (node's own IPC, advanced serialization).
import type { TimedSymbol } from "./voice.ts";

/** One sentence to speak. */
export interface EspeakRequest {
  id: number;
  text: string;
  /** The synthesizer's name for language and variant, for example `en-us+f2`. */
  voiceName: string;
  /** 0–100. */
  pitch: number;
  range: number;
  /** Words a minute, 80–450. */
  rateWpm: number;
}

export type EspeakAnswer =
  | { type: "ready" }
  /** The synthesizer could not be loaded; the process ends. `missing` if its package is not installed. */
  | { type: "unusable"; missing: boolean; message: string }
  | {
      type: "spoken";
      id: number;
      sampleRateHz: number;
      /** Mono, int16. */
      samples: Int16Array;
      phonemes: TimedSymbol[];
      words: TimedSymbol[];
    }
  | { type: "failed"; id: number; message: string };
