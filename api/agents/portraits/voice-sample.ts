// The `audio` field of a request: a sample of the voice that an agent is to have. It is listened to and not kept.
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import type { AgentServices } from "../agent-services.ts";
import { parseFileField } from "./file-field.ts";

/** Largest sample by URL, in bytes. Source: the contract's upload limits. */
const MAX_FETCHED_BYTES = 50_000_000;
/** Largest sample in the request itself, which has to fit beside a picture. */
export const MAX_INLINE_SAMPLE_BYTES = 10_000_000;
/** How long a submit waits for a caller's URL (source: the contract), and a job. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
const JOB_FETCH_TIMEOUT_MS = 60_000;

/** Outcome of listening to a request's sample: its pitch, or a URL for the job to try again. */
export type ReceivedSample = { pitchHz: number } | { retryUrl: string };

type Services = Pick<AgentServices, "outgoing" | "voices">;

/** Listens to the sample of a request. A URL that does not answer in time is left to the job. Throws the ServiceError of whatever is
 *  wrong with it; VALIDATION_ERROR if nobody speaks in it. */
export async function receiveVoiceSample(services: Services, field: string): Promise<ReceivedSample> {
  const input = parseFileField(field, {
    name: "audio",
    type: "audio",
    noun: "sound",
    maxBytes: MAX_INLINE_SAMPLE_BYTES,
  });
  if (input.kind === "bytes") return { pitchHz: await pitchOf(services, input.bytes) };
  try {
    return { pitchHz: await fetchPitch(services, input.url, SUBMIT_FETCH_TIMEOUT_MS) };
  } catch (error) {
    if (isServiceError(error) && error.code === "DOWNLOAD_FAILED") return { retryUrl: input.url };
    throw error;
  }
}

/** Fetches a sample in a job and returns its pitch. Throws DOWNLOAD_FAILED or as `receiveVoiceSample`. */
export function fetchVoicePitch(services: Services, url: string): Promise<number> {
  return fetchPitch(services, url, JOB_FETCH_TIMEOUT_MS);
}

async function fetchPitch(services: Services, url: string, timeoutMs: number): Promise<number> {
  const { bytes } = await services.outgoing.download(url, { maxBytes: MAX_FETCHED_BYTES, timeoutMs });
  return pitchOf(services, bytes);
}

async function pitchOf({ voices }: Services, bytes: Uint8Array): Promise<number> {
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The audio file is empty");
  const { pitchHz } = await voices.measure({ bytes });
  if (pitchHz === null) throw new ServiceError("VALIDATION_ERROR", "Nobody can be heard speaking in the audio");
  return pitchHz;
}
