// The recogniser of the api: one process for all requests. Its priority is lower than that of live sessions and their
// recogniser.

import { RequestSlots } from "../../program/http/request-slots.ts";
import { SpeechRecogniser } from "../../src/speech/recognition/speech-recogniser.ts";
import type { Kernel } from "../kernel/kernel.ts";
import {
  RETRY_AFTER_SECONDS,
  SPEECH_RESULTS,
  type TranscriptionPolicies,
  type TranscriptionServices,
} from "./speech-services.ts";

/** The recogniser of live sessions runs at 5, films at 19. */
const NICENESS = 10;
/** The process takes 460 MB with long recordings; it loads within two seconds. */
const IDLE_MS = 2 * 60_000;
/** Each slot takes up to 60 MB while a recording of ten minutes is decoded, and 20 MB after that. Ten minutes of speech
 *  are transcribed in a minute or so, and eight recordings share the process. */
const POLICIES: TranscriptionPolicies = {
  most: 8,
  mostPerAccount: 4,
  mostUploads: 32,
  mostUploadsPerAccount: 8,
  deadlineMs: 10 * 60_000,
};

/** Starts nothing before the first recording. */
export function createTranscriptions(
  { config, logger, metrics }: Pick<Kernel, "config" | "logger" | "metrics">,
  overrides: Partial<TranscriptionPolicies> = {},
): { transcriptions: TranscriptionServices; close(): Promise<void> } {
  const policies = { ...POLICIES, ...overrides };
  const stt = new SpeechRecogniser({
    idleMs: IDLE_MS,
    niceness: NICENESS,
    maxWaitMs: policies.deadlineMs,
    log: logger.child({ process: "recogniser" }),
  });
  const slots = new RequestSlots({
    most: policies.most,
    mostPerOwner: policies.mostPerAccount,
    refusal: "Too many recordings are being transcribed. Try again later.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  const uploads = new RequestSlots({
    most: policies.mostUploads,
    mostPerOwner: policies.mostUploadsPerAccount,
    refusal: "Too many recordings are being received. Try again later.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  metrics.gauge("avatar_transcriptions", "Recordings that are being transcribed.", async () => slots.count);
  const count = metrics.counter("avatar_transcriptions_total", "Recordings that were to be transcribed, by result.", {
    name: "result",
    values: SPEECH_RESULTS,
  });
  const transcriptions = { stt, slots, uploads, policies, ffmpegPath: config.rendering.ffmpegPath, count };
  return { transcriptions, close: () => stt.close() };
}
