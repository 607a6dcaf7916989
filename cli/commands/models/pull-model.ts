// Fetches the model file of an agent or a sample avatar, unless it is here already.
import {
  ApiError,
  type Client,
  ConnectionError,
  type ModelDownload,
  NotFoundError,
  ServerError,
} from "../../../sdk/client/index.ts";
import { type ModelFamily, resolveModel } from "../../../shared/models.ts";
import { findCredentials, findServiceUrl } from "../../account/credentials.ts";
import { clientOf, openPublicClient, requireCredentials } from "../../account/open-client.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { isAvatarName, isGeneratedCode, sampleCode, sampleSlug } from "./avatar-name.ts";
import { cacheFolder } from "./cache-folder.ts";
import { ModelStore, type StoredModel } from "./model-store.ts";

export interface PullOptions {
  environment: Environment;
  /** Name of a model; default: the avatar's own. */
  model?: string;
  /** Fetches it although it is here. */
  force?: boolean;
  signal: AbortSignal;
  /** Gets the bytes that have arrived, and how many will, if that is known. */
  onBytes?(count: number, total: number | undefined): void;
  /** Gets what a person should know. */
  onNote?(line: string): void;
}

export interface PulledModel extends StoredModel {
  /** Whether it was here already. */
  isCached: boolean;
  isSample: boolean;
}

/** A file of the largest size arrives within this at 110 kB/s. */
const FILE_TIMEOUT_MS = 600_000;
/** A service that does not answer in this time is away. */
const LINK_TIMEOUT_MS = 20_000;

/** The file of a sample (`maya` or `sample-maya`) or an agent. While the service is away, one that was fetched before.
 *  Throws CliError: usage for another word, no_permission if the agent needs a sign-in, no_input if there is none of
 *  this name, unavailable; and the signal's reason. */
export async function pullModel(name: string, options: PullOptions): Promise<PulledModel> {
  if (!isAvatarName(name)) {
    throw new CliError("usage", `${name.slice(0, 80)} is neither the slug of a sample nor the code of an agent.`, {
      hint: "avatar list shows the samples, avatar list --mine your agents.",
    });
  }
  const family = familyOf(options.model);
  if (isGeneratedCode(name)) return pullAgent(name, family, options);
  const slug = sampleSlug(name);
  try {
    return await pullSample(slug, family, options);
  } catch (error) {
    if (!isUnknown(error)) throw error;
    if (slug === name && (await findCredentials(options.environment))) return pullAgent(name, family, options);
    throw new CliError("no_input", `There is no sample ${slug}.`, {
      code: "NOT_FOUND",
      hint: "avatar list shows the samples. Agents of an account need avatar login.",
      cause: error,
    });
  }
}

async function pullSample(slug: string, family: ModelFamily | undefined, options: PullOptions): Promise<PulledModel> {
  const { environment } = options;
  const [client, baseUrl] = await Promise.all([openPublicClient(environment), findServiceUrl(environment)]);
  const source = { client, baseUrl, code: sampleCode(slug), family };
  return { ...(await fetchModel(source, options)), isSample: true };
}

async function pullAgent(code: string, family: ModelFamily | undefined, options: PullOptions): Promise<PulledModel> {
  const { baseUrl, apiSecret } = await requireCredentials(options.environment);
  const source = { client: clientOf({ baseUrl, apiSecret }), baseUrl, code, family };
  return { ...(await fetchModel(source, options)), isSample: false };
}

interface Source {
  client: Client;
  baseUrl: string;
  code: string;
  family: ModelFamily | undefined;
}

async function fetchModel(
  { client, baseUrl, code, family }: Source,
  { environment, force = false, signal, onBytes, onNote }: PullOptions,
): Promise<Omit<PulledModel, "isSample">> {
  const store = new ModelStore(cacheFolder(environment), baseUrl, code);
  let link: ModelDownload;
  try {
    link = await client.models.link(code, { model: family }, { signal, timeoutMs: LINK_TIMEOUT_MS });
  } catch (error) {
    const isAway = error instanceof ConnectionError || error instanceof ServerError;
    const stored = isAway && !force ? await store.find(family) : null;
    if (!stored) throw error;
    onNote?.("The service is away; this is the file that was fetched before.");
    return { ...stored, isCached: true };
  }
  const found = resolveModel(link.model)?.family;
  if (found === undefined) {
    throw new CliError("unavailable", `The service has a model of another version than this program: ${link.model}.`, {
      code: "OTHER_VERSION",
      hint: "Update this program.",
    });
  }
  const { sha256 } = link;
  const origin = new URL(link.url).pathname;
  if (!force) {
    const stored = await store.find(found);
    if (stored && (sha256 === null ? stored.origin === origin : stored.sha256 === sha256)) {
      return { ...stored, isCached: true };
    }
  }
  const late = AbortSignal.timeout(FILE_TIMEOUT_MS);
  const either = AbortSignal.any([signal, late]);
  try {
    const response = await client.files.download(link.url, { signal, timeoutMs: LINK_TIMEOUT_MS });
    const bytes = response.headers.has("content-encoding") ? undefined : lengthOf(response);
    const chunks = chunksOf(response, either);
    const onCount = (count: number) => onBytes?.(count, bytes);
    const stored = await store.put(
      { code, family: found, origin },
      { chunks, sha256, bytes },
      { signal: either, onBytes: onCount },
    );
    return { ...stored, isCached: false };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError && !late.aborted) throw error;
    const answer = error instanceof ApiError ? `its address answered ${error.httpStatus}` : "the connection ended";
    const reason = late.aborted ? "it took longer than ten minutes" : answer;
    throw new CliError("unavailable", `The file of ${code} did not arrive: ${reason}.`, {
      code: "DOWNLOAD_FAILED",
      hint: "Run it again.",
      cause: error,
    });
  }
}

/** Whether the service says that it has no avatar of this name; one of an older version may lack the route. */
function isUnknown(error: unknown): boolean {
  return error instanceof NotFoundError && error.code === "NOT_FOUND" && !error.message.startsWith("No endpoint ");
}

function familyOf(model: string | undefined): ModelFamily | undefined {
  if (model === undefined) return undefined;
  const resolved = resolveModel(model);
  if (!resolved)
    throw new CliError("usage", `There is no model ${model}.`, { hint: "Models: essence-1, essence-2, expression-2." });
  return resolved.family;
}

function lengthOf({ headers }: Response): number | undefined {
  const length = Number(headers.get("content-length") ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : undefined;
}

/** A body that ends with the signal, too. */
async function* chunksOf({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
