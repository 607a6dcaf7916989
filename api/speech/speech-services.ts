// Services of the rules of speech. Built once, in `speech-module.ts`.

import type { RequestSlots } from "../../program/http/request-slots.ts";
import type { SpeechRecogniser } from "../../src/speech/recognition/speech-recogniser.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** When a caller without a slot may try again. */
export const RETRY_AFTER_SECONDS = 5;

/** How a speech or a transcription ended: completely, refused for lack of a slot, because its client had gone, or
 *  because it failed. */
export const SPEECH_RESULTS = ["completed", "busy", "abandoned", "failed"] as const;
export type SpeechResult = (typeof SPEECH_RESULTS)[number];

/** Bounds of transcriptions. */
export interface TranscriptionPolicies {
  /** Most at a time. */
  most: number;
  /** Most of one account. */
  mostPerAccount: number;
  /** Most forms that are being received. */
  mostUploads: number;
  mostUploadsPerAccount: number;
  /** Longest transcription, from its slot on. */
  deadlineMs: number;
}

export interface TranscriptionServices {
  stt: Pick<SpeechRecogniser, "transcribe">;
  slots: RequestSlots;
  /** Of forms that are being received. */
  uploads: RequestSlots;
  policies: Pick<TranscriptionPolicies, "deadlineMs">;
  /** The operator's FFmpeg; absent if it is not set. */
  ffmpegPath: string | undefined;
  /** Counts a transcription on `/metrics`. */
  count(result: SpeechResult): void;
}

export interface SpeechServices extends Pick<Kernel, "database"> {
  /** Speaks for all requests of this api. */
  voice: Voice;
  /** Where voices are that the operator has fetched. */
  voicesFolder: string;
  slots: RequestSlots;
  /** The operator's FFmpeg; absent if it is not set. */
  ffmpegPath: string | undefined;
  /** Counts a speech on `/metrics`. */
  countSpeech(result: SpeechResult): void;
  transcriptions: TranscriptionServices;
}
