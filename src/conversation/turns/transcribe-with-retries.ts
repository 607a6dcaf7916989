// Asks the recogniser again after a fault that may pass.
import { setTimeout as delay } from "node:timers/promises";
import { isEngineError } from "../../../shared/engine-error.ts";
import type { TranscribeOptions, Transcription } from "../../speech/recognition/transcription-client.ts";
import type { ConversationStt } from "./conversation-parts.ts";

/** Its process may have died, or too much may be waiting: pauses before each further attempt, ms. */
const RETRIES_MS = [250, 750, 1_500] as const;

/** `samples`: mono at 16 kHz. Throws the last error if every attempt fails, and the signal's reason. */
export async function transcribeWithRetries(
  stt: ConversationStt,
  samples: Int16Array,
  options: TranscribeOptions,
): Promise<Transcription> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await stt.transcribe(samples, options);
    } catch (error) {
      const mayPass = isEngineError(error) && error.code !== "invalid-input" && error.code !== "too-large";
      if (options.signal?.aborted || !mayPass || attempt >= RETRIES_MS.length) throw error;
      await delay(RETRIES_MS[attempt]);
    }
  }
}
