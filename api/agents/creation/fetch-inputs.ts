// The files of an agent that are to be fetched from their owner's URLs.
import { randomUUID } from "node:crypto";
import { MAX_PORTRAIT_BYTES } from "../../../program/http/portrait-input.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { type FetchServices, fetchToStorage } from "../../kernel/storage/fetch-to-storage.ts";
import type { AgentContent } from "../record/agent.ts";
import { MAX_SAMPLE_BYTES } from "../voices/voice-sample.ts";

/** A file to fetch, and the field that its object belongs to. */
export interface MissingInput {
  url: string;
  field: "imageKey" | "voiceSampleKey";
}

const LIMITS = {
  imageKey: { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs: 30_000 },
  voiceSampleKey: { maxBytes: MAX_SAMPLE_BYTES, timeoutMs: 60_000 },
} as const;

/** What must be fetched before portrait and voice can be made. `agent` is with its draft. */
export function missingInputs(agent: AgentContent): MissingInput[] {
  const { imageUrl, imageKey, portraitKey, voiceSampleUrl, voiceSampleKey, voiceCharacter } = agent;
  const missing: MissingInput[] = [];
  if (imageUrl !== null && imageKey === null && portraitKey === null)
    missing.push({ url: imageUrl, field: "imageKey" });
  if (voiceSampleUrl !== null && voiceSampleKey === null && voiceCharacter === null) {
    missing.push({ url: voiceSampleUrl, field: "voiceSampleKey" });
  }
  return missing;
}

/** Stores a file and returns its key. Throws the errors of the download. */
export async function fetchInput(
  services: FetchServices,
  { url, field }: MissingInput,
  signal: AbortSignal,
): Promise<string> {
  const key = `agent-inputs/${randomUUID()}`;
  const sizeBytes = await fetchToStorage(services, url, key, { ...LIMITS[field], signal });
  if (sizeBytes > 0 || field !== "imageKey") return key;
  await services.storage.delete(key);
  throw new ServiceError("VALIDATION_ERROR", "The file at the image URL is empty");
}
