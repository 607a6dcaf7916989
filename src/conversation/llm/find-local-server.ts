// Finds a language model that runs on this machine, so that a conversation needs no setting.
import { readBoundedJson } from "./read-bounded-json.ts";

/** Where programs with the OpenAI protocol listen unless they are told otherwise, in the order of preference: Ollama,
 *  llama.cpp's server, vLLM, LM Studio. */
export const LOCAL_SERVER_PORTS: readonly number[] = [11_434, 8080, 8000, 1234];
/** A program on this machine answers at once, or computes something else. */
const TIMEOUT_MS = 300;
/** For a server elsewhere, ms. */
const LIST_TIMEOUT_MS = 3_000;
/** A list of some hundred models. */
const MAX_LIST_BYTES = 256 * 1024;
/** Names of models that answer with vectors, marks, audio or images. */
const NOT_FOR_CHAT =
  /embed|minilm|paraphrase|rerank|whisper|kokoro|diffusion|(?:^|[/_-])(?:tts|clip|flux|bge|gte|e5|bert|sdxl)(?:[-_:.]|\d|$)/i;

export interface LocalServer {
  /** For `LlmSettings`. */
  baseUrl: string;
  /** The first of its models that can chat, by its name. */
  model: string;
}

export interface FindLocalServerOptions {
  /** Ports on which this service listens: they are not contacted. */
  ownPorts: readonly number[];
  /** Default: the usual ones. */
  ports?: readonly number[];
  /** Default 300. */
  timeoutMs?: number;
}

/** Looks at all ports at once and resolves with the first server in their order that has a model to chat with; null if
 *  there is none. Contacts 127.0.0.1 only, sends no key, and follows no redirect. Never rejects. */
export async function findLocalServer({
  ownPorts,
  ports = LOCAL_SERVER_PORTS,
  timeoutMs = TIMEOUT_MS,
}: FindLocalServerOptions): Promise<LocalServer | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  const foreign = ports.filter((port) => !ownPorts.includes(port));
  const found = await Promise.all(foreign.map((port) => serverAt(`http://127.0.0.1:${port}/v1`, signal)));
  return found.find((server) => server !== null) ?? null;
}

export interface FindChatModelOptions {
  /** Base URL including the version. */
  baseUrl: string;
  /** Sent as Bearer. */
  apiKey?: string;
  /** Default: after 3 s. */
  signal?: AbortSignal;
}

/** The first model of a server that can chat, by its name; undefined if the server does not tell. Follows no redirect.
 *  Never rejects. */
export async function findChatModel({
  baseUrl,
  apiKey,
  signal = AbortSignal.timeout(LIST_TIMEOUT_MS),
}: FindChatModelOptions): Promise<string | undefined> {
  try {
    return chatModelIn(await readBoundedJson(modelsUrl(baseUrl), { apiKey, signal, maxBytes: MAX_LIST_BYTES }));
  } catch {
    // No program listens there, or another kind of program.
    return undefined;
  }
}

/** Whether a server answers at all. Follows no redirect, and reads no body. Never rejects. */
export async function isAnswering({
  baseUrl,
  apiKey,
  signal = AbortSignal.timeout(LIST_TIMEOUT_MS),
}: FindChatModelOptions): Promise<boolean> {
  const headers = apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` };
  try {
    const answer = await fetch(modelsUrl(baseUrl), { headers, signal, redirect: "error" });
    await answer.body?.cancel();
    return answer.status < 500;
  } catch {
    return false;
  }
}

function modelsUrl(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/models`;
}

async function serverAt(baseUrl: string, signal: AbortSignal): Promise<LocalServer | null> {
  const model = await findChatModel({ baseUrl, signal });
  return model === undefined ? null : { baseUrl, model };
}

/** Whether a model answers with text, by its name. */
export function isForChat(name: string): boolean {
  return name !== "" && !NOT_FOR_CHAT.test(name);
}

/** The list must be of the protocol: other programs answer on these ports too. */
function chatModelIn(list: unknown): string | undefined {
  const { object, data } = (list ?? {}) as { object?: unknown; data?: unknown };
  if (object !== "list" || !Array.isArray(data)) return undefined;
  const names = data.map((entry: { id?: unknown } | null) => entry?.id);
  return names.find((name): name is string => typeof name === "string" && isForChat(name));
}
