// Calls the api processes like a client that never gives up: calls that are safe to repeat are repeated, at another
// process if one has died.
import type { ApiClients } from "./api-clients.ts";

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the soak looks into answers freely, and a wrong shape fails it anyway
  body: any;
  headers: Headers;
}

export interface CallOptions {
  secret?: string;
  bearer?: string;
  idempotencyKey?: string;
  body?: unknown;
}

const TIMEOUT_MS = 60_000;
const MAX_TRIES = 60;
const RETRY_MS = 200;

/** One attempt at one api process. Null if the connection broke; it is then unknown whether the request had an
 *  effect. */
export async function callOnce(
  clients: ApiClients,
  pick: (urls: string[]) => string,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply | null> {
  const baseUrl = pick(await clients.running());
  try {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(options.secret !== undefined && { "api-secret": options.secret }),
        ...(options.bearer !== undefined && { authorization: `Bearer ${options.bearer}` }),
        ...(options.idempotencyKey !== undefined && { "idempotency-key": options.idempotencyKey }),
        ...(options.body !== undefined && { "content-type": "application/json" }),
      },
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await response.text();
    // A 5xx says that something broke on the way, not that nothing was done.
    if (response.status >= 500) return null;
    return { status: response.status, headers: response.headers, body: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Repeats a call until it is answered. Only for calls that are safe to repeat. Throws when that takes too long. */
export async function callUntilAnswered(...call: Parameters<typeof callOnce>): Promise<Reply> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const reply = await callOnce(...call);
    if (reply) return reply;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new Error(`${call[2]} ${call[3]} was never answered`);
}
