// From an `image` field, a URL or the gallery to a checked portrait in object storage.
import { randomUUID } from "node:crypto";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";
import type { AgentServices } from "../agent-services.ts";
import { MAX_PORTRAIT_BYTES, parsePortraitInput } from "./portrait-input.ts";
import type { SubjectCheck } from "./portrait-messages.ts";

/** How long a submit waits for a caller's URL, and a job. Source of the first: the contract. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
const JOB_FETCH_TIMEOUT_MS = 30_000;

/** A portrait as an agent keeps it. */
export interface StoredPortrait {
  key: string;
  size: { widthPx: number; heightPx: number };
  /** Whether it shows a person: decides what `auto` means. */
  isPerson: boolean;
}

/** Outcome of looking at a request's image: stored, or to be fetched later by the job. */
export type ReceivedPortrait = { portrait: StoredPortrait } | { retryUrl: string };

type Services = Pick<AgentServices, "storage" | "outgoing" | "inspector" | "logger">;

/** Checks and stores the picture of a request. A URL that does not answer in time is left to the job. Throws the ServiceError of
 *  whatever is wrong with the field or the picture, before anything is stored. */
export async function receivePortrait(
  services: Services,
  field: string,
  family: ModelFamily | "auto",
): Promise<ReceivedPortrait> {
  const input = parsePortraitInput(field);
  if (input.kind === "bytes") return { portrait: await storePortrait(services, input.bytes, checkFor(family)) };
  let bytes: Uint8Array;
  try {
    bytes = await fetchPortrait(services, input.url, SUBMIT_FETCH_TIMEOUT_MS);
  } catch (error) {
    if (isServiceError(error) && error.code === "DOWNLOAD_FAILED") return { retryUrl: input.url };
    throw error;
  }
  return { portrait: await storePortrait(services, bytes, checkFor(family)) };
}

/** Fetches, checks and stores a picture in a job. Throws DOWNLOAD_FAILED or the picture's own error. */
export async function fetchAndStorePortrait(
  services: Services,
  url: string,
  family: ModelFamily,
): Promise<StoredPortrait> {
  return storePortrait(services, await fetchPortrait(services, url, JOB_FETCH_TIMEOUT_MS), checkFor(family));
}

/** Checks a picture, and stores it upright and without metadata. */
export async function storePortrait(
  services: Services,
  bytes: Uint8Array,
  check: SubjectCheck,
): Promise<StoredPortrait> {
  const { portrait, widthPx, heightPx, isPerson } = await services.inspector.inspect({ bytes, check });
  // A random name: the link to a portrait is shown to visitors, and must not lead to any other.
  const key = `portraits/${randomUUID()}.jpg`;
  await services.storage.put(key, portrait);
  return { key, size: { widthPx, heightPx }, isPerson };
}

/** Throws unless an agent's stored portrait suits a family. */
export async function assertPortraitSuits(services: Services, portraitKey: string, family: ModelFamily): Promise<void> {
  if (!MODEL_CATALOGUE[family].humanOnly) return;
  const bytes = await services.storage.readAll(portraitKey);
  await services.inspector.inspect({ bytes, check: "refuse" });
}

/** How closely a picture for a model is looked at. */
export function checkFor(family: ModelFamily | "auto"): SubjectCheck {
  if (family === "auto") return "classify";
  return MODEL_CATALOGUE[family].humanOnly ? "refuse" : "none";
}

async function fetchPortrait(services: Services, url: string, timeoutMs: number): Promise<Uint8Array> {
  const { bytes } = await services.outgoing.download(url, { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs });
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The file behind the image URL is empty");
  return bytes;
}
