// One request to a server with the OpenAI protocol's `/chat/completions`.
import { EngineError } from "../../../shared/engine-error.ts";

export interface LlmSettings {
  /** Base URL including the version, for example `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Sent as Bearer; absent for servers without keys. */
  apiKey?: string;
  /** The server's name of its model. */
  model: string;
}

export interface ChatAnswer {
  status: number;
  /** Rejects if the server breaks off. */
  body: AsyncIterable<Uint8Array>;
}

/** Sends the JSON of a request, with further headers, and resolves with the head of the answer. Rejects if the server
 *  is not reached, and with the signal's reason, also while the body is read. */
export type RequestChat = (
  json: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<ChatAnswer>;

/** Address and headers of the requests. */
export function chatRequest({ baseUrl, apiKey }: Pick<LlmSettings, "baseUrl" | "apiKey">): {
  url: string;
  headers: Record<string, string>;
} {
  return {
    url: `${baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: {
      "content-type": "application/json",
      // Some servers answer with JSON in one piece unless a stream is accepted.
      accept: "text/event-stream, application/json",
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
  };
}

/** Sends requests to the operator's server, which may have a private address, and to no other: redirects are
 *  refused. Rejects with EngineError invalid-input if the key or a header has characters that headers cannot hold. */
export function fetchChat(settings: Pick<LlmSettings, "baseUrl" | "apiKey">): RequestChat {
  const { url, headers: own } = chatRequest(settings);
  return async (body, further, signal) => {
    const headers = headersOf(further, own);
    const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
    return { status: answer.status, body: answer.body ?? noBytes() };
  };
}

/** The platform's own error would quote the key. */
function headersOf(...parts: readonly Readonly<Record<string, string>>[]): Headers {
  const headers = new Headers();
  try {
    for (const [name, value] of parts.flatMap((part) => Object.entries(part))) headers.set(name, value);
  } catch {
    throw new EngineError("invalid-input", "The model server's key, or a header, has characters that are not allowed.");
  }
  return headers;
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
