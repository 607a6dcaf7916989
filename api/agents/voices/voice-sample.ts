// The `audio` field of a request: a sample of the voice that the agent should have. It is measured and not kept.

import { parseFileField } from "../../../program/http/file-field.ts";
import type { Logger } from "../../../program/log.ts";
import type { OutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { VoiceCharacter } from "../../../src/speech/voice/measuring/voice-character.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import type { TaskCaller } from "../portraits/portrait-process.ts";
import { isUnavailable, storeRaw, type TaskClient } from "../portraits/portrait-store.ts";
import type { Agent } from "../record/agent.ts";
import type { VoiceMeter } from "./voice-process.ts";

/** Largest sample by URL, in bytes. Source: the contract's upload limits. */
export const MAX_SAMPLE_BYTES = 50_000_000;
/** Largest sample within the request, which must fit beside an image. */
const MAX_INLINE_SAMPLE_BYTES = 10_000_000;
/** Timeout for fetching a caller's URL at submit. Source: the contract. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
/** Longest wait for the voice process at submit. */
const SUBMIT_MEASURE_TIMEOUT_MS = 15_000;

/** The voice sample of a request: either measured, or left to the job, which reads it from a URL or from storage. */
export type ReceivedSample = { character: VoiceCharacter } | { retryUrl: string } | { rawKey: string };

interface Services {
  outgoing: OutgoingClient;
  voices: VoiceMeter;
  storage: ObjectStorage;
  logger: Logger;
}

/** Measures the sample of a request. The job takes over if its URL does not answer in time or the sample cannot be
 *  measured now. Throws the ServiceError of the sample, VALIDATION_ERROR if it contains no speech, and
 *  the signal's reason. */
export async function receiveVoiceSample(
  services: Services,
  field: string,
  client: TaskClient,
): Promise<ReceivedSample> {
  const input = parseFileField(field, {
    name: "audio",
    type: "audio",
    noun: "audio",
    maxBytes: MAX_INLINE_SAMPLE_BYTES,
  });
  const caller = { ...client, timeoutMs: SUBMIT_MEASURE_TIMEOUT_MS };
  try {
    const bytes = input.kind === "bytes" ? input.bytes : await fetchSample(services, input.url);
    return { character: await characterOf(services, bytes, caller) };
  } catch (error) {
    const isLate = isServiceError(error) && error.code === "DOWNLOAD_FAILED";
    if (!isLate && !isUnavailable(error)) throw error;
    if (!isLate) services.logger.warn({ err: error }, "voice sample is left to the job: it could not be measured");
    return input.kind === "url" ? { retryUrl: input.url } : { rawKey: await storeRaw(services, input.bytes) };
  }
}

/** Measures a sample that the request left to the job, or that was fetched; null if there is none. Throws as
 *  `receiveVoiceSample`. */
export async function measureLeftSample(
  services: Services,
  { voiceSampleKey, userId }: Pick<Agent, "voiceSampleKey" | "userId">,
): Promise<VoiceCharacter | null> {
  if (voiceSampleKey === null) return null;
  return characterOf(services, await services.storage.readAll(voiceSampleKey), { userId });
}

async function fetchSample({ outgoing }: Services, url: string): Promise<Uint8Array> {
  return (await outgoing.download(url, { maxBytes: MAX_SAMPLE_BYTES, timeoutMs: SUBMIT_FETCH_TIMEOUT_MS })).bytes;
}

async function characterOf({ voices }: Services, bytes: Uint8Array, caller: TaskCaller): Promise<VoiceCharacter> {
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The audio file is empty");
  const { character } = await voices.measure({ bytes }, caller);
  if (character === null) throw new ServiceError("VALIDATION_ERROR", "The audio contains no speech");
  return character;
}
