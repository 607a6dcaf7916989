// Turns an `image` field, a URL or a gallery entry into a checked portrait in object storage.
import { randomUUID } from "node:crypto";
import { isTaskError } from "../../../program/child-process/task-error.ts";
import { MAX_PORTRAIT_BYTES, parsePortraitInput } from "../../../program/http/portrait-input.ts";
import type { Logger } from "../../../program/log.ts";
import type { OutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { MODEL_CATALOGUE, type ModelFamily } from "../../../shared/models.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import type { SubjectCheck } from "./portrait-messages.ts";
import type { Inspector, TaskCaller } from "./portrait-process.ts";

/** Timeout for fetching a caller's URL at submit. Source: the contract. */
const SUBMIT_FETCH_TIMEOUT_MS = 5_000;
/** Longest wait for the inspector at submit. */
const SUBMIT_INSPECT_TIMEOUT_MS = 15_000;

/** A portrait as an agent keeps it. */
export interface StoredPortrait {
  key: string;
  size: { widthPx: number; heightPx: number };
  /** Whether it shows a person; `auto` is resolved by this. */
  isPerson: boolean;
  /** Height of the face oval, px; null if it is not known. */
  faceHeightPx: number | null;
}

/** The image of a request: either checked and stored, or left to the job, which reads it from a URL or from storage. */
export type ReceivedPortrait = { portrait: StoredPortrait } | { retryUrl: string } | { rawKey: string };

/** The account of a request, and its signal, which fires if the client disconnects. */
export type TaskClient = Pick<TaskCaller, "userId" | "signal">;

interface Services {
  storage: ObjectStorage;
  outgoing: OutgoingClient;
  inspector: Inspector;
  logger: Logger;
}
type Model = ModelFamily | "auto";

/** Checks and stores the image of a request. The job takes over if its URL does not answer in time or the inspector is
 *  busy or broken, so that neither blocks a creation. Throws the ServiceError of the field or of the image, and the
 *  signal's reason, before anything is stored. */
export async function receivePortrait(
  services: Services,
  field: string,
  model: Model,
  client: TaskClient,
): Promise<ReceivedPortrait> {
  const input = parsePortraitInput(field);
  let bytes: Uint8Array;
  try {
    bytes = input.kind === "bytes" ? input.bytes : await fetchPortrait(services, input.url);
  } catch (error) {
    if (input.kind === "url" && isServiceError(error) && error.code === "DOWNLOAD_FAILED") {
      return { retryUrl: input.url };
    }
    throw error;
  }
  try {
    const caller = { ...client, timeoutMs: SUBMIT_INSPECT_TIMEOUT_MS };
    return { portrait: await storePortrait(services, bytes, checkFor(model), caller) };
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    services.logger.warn({ err: error }, "image left to the job: it could not be inspected");
    if (input.kind === "url") return { retryUrl: input.url };
    return { rawKey: await storeRaw(services, bytes) };
  }
}

/** True if a file could not be checked for reasons that are not the file's fault. */
export function isUnavailable(error: unknown): boolean {
  return isTaskError(error) || (isServiceError(error) && error.code === "SERVICE_UNAVAILABLE");
}

/** Stores a file as received, for a job to check. Returns its key. */
export async function storeRaw({ storage }: { storage: ObjectStorage }, bytes: Uint8Array): Promise<string> {
  const key = `agent-inputs/${randomUUID()}`;
  await storage.put(key, bytes);
  return key;
}

/** Checks an image and stores it upright and without metadata. */
export async function storePortrait(
  services: Services,
  bytes: Uint8Array,
  check: SubjectCheck,
  caller: TaskCaller,
): Promise<StoredPortrait> {
  const { portrait, widthPx, heightPx, ...subject } = await services.inspector.inspect({ bytes, check }, caller);
  // The name is random, because visitors see the link: it must not reveal the links of other portraits.
  const key = `portraits/${randomUUID()}.jpg`;
  await services.storage.put(key, portrait);
  return { key, size: { widthPx, heightPx }, ...subject };
}

/** Throws unless an agent's stored portrait suits a family, and as `Inspector.inspect`. */
export async function assertPortraitSuits(
  services: Services,
  portraitKey: string,
  family: ModelFamily,
  client: TaskClient,
): Promise<void> {
  if (!MODEL_CATALOGUE[family].humanOnly) return;
  const bytes = await services.storage.readAll(portraitKey);
  const caller = { ...client, timeoutMs: SUBMIT_INSPECT_TIMEOUT_MS };
  await services.inspector.inspect({ bytes, check: "refuse" }, caller);
}

/** The check that the images of a family need. */
export function checkFor(family: Model): SubjectCheck {
  if (family === "auto") return "classify";
  return MODEL_CATALOGUE[family].humanOnly ? "refuse" : "none";
}

async function fetchPortrait(services: Services, url: string): Promise<Uint8Array> {
  const limits = { maxBytes: MAX_PORTRAIT_BYTES, timeoutMs: SUBMIT_FETCH_TIMEOUT_MS };
  const { bytes } = await services.outgoing.download(url, limits);
  if (bytes.length === 0) throw new ServiceError("VALIDATION_ERROR", "The file at the image URL is empty");
  return bytes;
}
