// Services of the rules of speech. Built once, in `speech-module.ts`.
import type { Voice } from "../../src/voice/voice.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { SpeechSlots } from "./speech-slots.ts";

/** How a speech ended: completely, refused for lack of a slot, because its client had gone, or because the voice
 *  failed. */
export const SPEECH_RESULTS = ["completed", "busy", "abandoned", "failed"] as const;
export type SpeechResult = (typeof SPEECH_RESULTS)[number];

export interface SpeechServices extends Pick<Kernel, "database"> {
  /** Speaks for all requests of this api. */
  voice: Voice;
  /** Where voices are that the operator has fetched. */
  voicesFolder: string;
  slots: SpeechSlots;
  /** The operator's FFmpeg; absent if it is not set. */
  ffmpegPath: string | undefined;
  /** Counts a speech on `/metrics`. */
  countSpeech(result: SpeechResult): void;
}
