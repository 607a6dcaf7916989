// From an `image` field, a URL or the gallery to a checked portrait in object storage.
import { randomUUID } from "node:crypto";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";
import { isTaskError } from "../../../src/child-process/task-error.ts";
import type { AgentServices } from "../agent-services.ts";
import { MAX_PORTRAIT_BYTES, parsePortraitInput } from "./portrait-input.ts";
import type { SubjectCheck } from "./portrait-messages.ts";
import type { TaskCaller } from "./portrait-process.ts";

/** How long a submit waits for a caller's URL, and a job. Source of the first: the contract. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
const JOB_FETCH_TIMEOUT_MS = 30_000;
/** How long a submit waits for its turn at the inspector. */
const SUBMIT_INSPECT_TIMEOUT_MS = 15_000;

/** A portrait as an agent keeps it. */
export interface StoredPortrait {
  key: string;
  size: { widthPx: number; heightPx: number };
  /** Whether it shows a person: decides what `auto` means. */
  isPerson: boolean;
}

/** A request's picture: checked and stored; or left to the job, which fetches it from a URL, or from storage where it lies as received. */
export type ReceivedPortrait = { portrait: StoredPortrait } | { retryUrl: string } | { rawKey: string };

type Services = Pick<AgentServices, "storage" | "outgoing" | "inspector" | "logger">;
type Model = ModelFamily | "auto";

/** Checks and stores the picture of a request. A URL that does not answer in time is left to the job, and so is a picture that cannot be
 *  inspected now: an inspector that is busy or broken blocks no creation. Throws the ServiceError of whatever is wrong with the field or
 *  the picture, before anything is stored. */
export async function receivePortrait(
  services: Services,
  field: string,
  { model, userId }: { model: Model; userId: string },
): Promise<ReceivedPortrait> {
  const input = parsePortraitInput(field);
  let bytes: Uint8Array;
  try {
    bytes = input.kind === "bytes" ? input.bytes : await fetchPortrait(services, input.url, SUBMIT_FETCH_TIMEOUT_MS);
  } catch (error) {
    if (input.kind === "url" && isServiceError(error) && error.code === "DOWNLOAD_FAILED") {
      return { retryUrl: input.url };
    }
    throw error;
  }
  try {
    const caller = { userId, timeoutMs: SUBMIT_INSPECT_TIMEOUT_MS };
    return { portrait: await storePortrait(services, bytes, checkFor(model), caller) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    services.logger.warn({ err: error }, "picture is left to the job: it could not be inspected");
    if (input.kind === "url") return { retryUrl: input.url };
    return { rawKey: await storeRaw(services, bytes) };
  }
}

/** Whether a file could not be looked at for reasons that have nothing to do with it. */
export function isUnavailable(error: unknown): boolean {
  return isTaskError(error) || (isServiceError(error) && error.code === "SERVICE_UNAVAILABLE");
}

/** Keeps a file as it was received, until a job looks at it. Returns its key. */
export async function storeRaw({ storage }: Pick<Services, "storage">, bytes: Uint8Array): Promise<string> {
  const key = `agent-inputs/${randomUUID()}`;
  await storage.put(key, bytes);
  return key;
}

/** Fetches, checks and stores a picture in a job. Throws DOWNLOAD_FAILED or the picture's own error. */
export async function fetchAndStorePortrait(
  services: Services,
  url: string,
  { model, userId }: { model: Model; userId: string },
): Promise<StoredPortrait> {
  const bytes = await fetchPortrait(services, url, JOB_FETCH_TIMEOUT_MS);
  return storePortrait(services, bytes, checkFor(model), { userId });
}

/** Checks a picture, and stores it upright and without metadata. */
export async function storePortrait(
  services: Services,
  bytes: Uint8Array,
  check: SubjectCheck,
  caller: TaskCaller,
): Promise<StoredPortrait> {
  const { portrait, widthPx, heightPx, isPerson } = await services.inspector.inspect({ bytes, check }, caller);
  // A random name: the link to a portrait is shown to visitors, and must not lead to any other.
  const key = `portraits/${randomUUID()}.jpg`;
  await services.storage.put(key, portrait);
  return { key, size: { widthPx, heightPx }, isPerson };
}

/** Throws unless an agent's stored portrait suits a family. */
export async function assertPortraitSuits(
  services: Services,
  portraitKey: string,
  { family, userId }: { family: ModelFamily; userId: string },
): Promise<void> {
  if (!MODEL_CATALOGUE[family].humanOnly) return;
  const bytes = await services.storage.readAll(portraitKey);
  const caller = { userId, timeoutMs: SUBMIT_INSPECT_TIMEOUT_MS };
  await services.inspector.inspect({ bytes, check: "refuse" }, caller);
}

/** How closely a picture for a model is looked at. */
export function checkFor(family: Model): SubjectCheck {
  if (family === "auto") return "classify";
  return MODEL_CATALOGUE[family].humanOnly ? "refuse" : "none";
}

async function fetchPortrait(services: Services, url: string, timeoutMs: number): Promise<Uint8Array> {
  const { bytes } = await services.outgoing.download(url, { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs });
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The file behind the image URL is empty");
  return bytes;
}
