// Services of the rules of speech. Built once, in `speech-module.ts`.
import type { Voice } from "../../src/voice/voice.ts";
import type { SpeechSlots } from "./speech-slots.ts";

/** How a speech ended: completely, refused for lack of a slot, because its client had gone, or because the voice
 *  failed. */
export const SPEECH_RESULTS = ["completed", "busy", "abandoned", "failed"] as const;
export type SpeechResult = (typeof SPEECH_RESULTS)[number];

export interface SpeechServices {
  /** Speaks for all requests of this api. */
  voice: Voice;
  slots: SpeechSlots;
  /** Counts a speech on `/metrics`. */
  countSpeech(result: SpeechResult): void;
}
