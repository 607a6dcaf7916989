// The `audio` field of a request: a sample of the voice that an agent is to have. It is measured and not kept.
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { Agent } from "../agent.ts";
import type { AgentServices } from "../agent-services.ts";
import { parseFileField } from "./file-field.ts";
import type { TaskCaller } from "./portrait-process.ts";
import { isUnavailable, storeRaw } from "./portrait-store.ts";

/** Largest sample by URL, in bytes. Source: the contract's upload limits. */
const MAX_FETCHED_BYTES = 50_000_000;
/** Largest sample in the request itself, which has to fit beside a picture. */
export const MAX_INLINE_SAMPLE_BYTES = 10_000_000;
/** How long a submit waits for a caller's URL (source: the contract), and a job. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
const JOB_FETCH_TIMEOUT_MS = 60_000;
/** How long a submit waits for its turn. */
const SUBMIT_MEASURE_TIMEOUT_MS = 15_000;

/** A request's sample: measured; or left to the job, which fetches it from a URL, or from storage where it lies as received. */
export type ReceivedSample = { pitchHz: number } | { retryUrl: string } | { rawKey: string };

type Services = Pick<AgentServices, "outgoing" | "voices" | "storage" | "logger">;

/** Measures the sample of a request. A URL that does not answer in time is left to the job, and so is a sample that cannot be measured
 *  now. Throws the ServiceError of whatever is wrong with it; VALIDATION_ERROR if there is no speech in it. */
export async function receiveVoiceSample(services: Services, field: string, userId: string): Promise<ReceivedSample> {
  const input = parseFileField(field, {
    name: "audio",
    type: "audio",
    noun: "sound",
    maxBytes: MAX_INLINE_SAMPLE_BYTES,
  });
  const caller = { userId, timeoutMs: SUBMIT_MEASURE_TIMEOUT_MS };
  try {
    const bytes =
      input.kind === "bytes" ? input.bytes : await fetchSample(services, input.url, SUBMIT_FETCH_TIMEOUT_MS);
    return { pitchHz: await pitchOf(services, bytes, caller) };
  } catch (error) {
    const isLate = isServiceError(error) && error.code === "DOWNLOAD_FAILED";
    if (!isLate && !isUnavailable(error)) throw error;
    if (!isLate) services.logger.warn({ err: error }, "voice sample is left to the job: it could not be measured");
    return input.kind === "url" ? { retryUrl: input.url } : { rawKey: await storeRaw(services, input.bytes) };
  }
}

/** Measures a sample in a job, from where the request left it. Throws DOWNLOAD_FAILED or as `receiveVoiceSample`. */
export async function measureLeftSample(
  services: Services,
  { voiceSampleKey, voiceSampleUrl, userId }: Pick<Agent, "voiceSampleKey" | "voiceSampleUrl" | "userId">,
): Promise<number | null> {
  if (voiceSampleKey !== null) {
    return pitchOf(services, await services.storage.readAll(voiceSampleKey), { userId });
  }
  if (voiceSampleUrl === null) return null;
  return pitchOf(services, await fetchSample(services, voiceSampleUrl, JOB_FETCH_TIMEOUT_MS), { userId });
}

async function fetchSample({ outgoing }: Services, url: string, timeoutMs: number): Promise<Uint8Array> {
  return (await outgoing.download(url, { maxBytes: MAX_FETCHED_BYTES, timeoutMs })).bytes;
}

async function pitchOf({ voices }: Services, bytes: Uint8Array, caller: TaskCaller): Promise<number> {
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The audio file is empty");
  const { pitchHz } = await voices.measure({ bytes }, caller);
  if (pitchHz === null) throw new ServiceError("VALIDATION_ERROR", "The audio contains no speech");
  return pitchHz;
}
