// One JSON request to the service that the page came from.
import { RequestError } from "./request-error.ts";

const UNREACHABLE = "The service cannot be reached. Check whether it runs, then try again.";

export interface RequestOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Whether the browser adds the cookie of this service, which the console needs. Default false. */
  hasCookie?: boolean;
  /** Ends the request early. */
  signal?: AbortSignal;
  /** After this time the service counts as unreachable. Default 60 s. */
  timeoutMs?: number;
}

/** The parsed answer. Throws RequestError, and the signal's reason once it fires. */
export async function sendRequest(url: URL, options: RequestOptions = {}): Promise<Record<string, unknown>> {
  const { method = "GET", headers, body, hasCookie = false, signal, timeoutMs = 60_000 } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: hasCookie ? "same-origin" : "omit",
      referrerPolicy: "no-referrer",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch {
    signal?.throwIfAborted();
    throw new RequestError("NETWORK", UNREACHABLE);
  }
  const answer = await response.json().catch(() => undefined);
  signal?.throwIfAborted();
  if (response.ok && isRecord(answer)) return answer;
  const error = isRecord(answer) && isRecord(answer.error) ? answer.error : {};
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  throw new RequestError(textOf(error.code) ?? "BAD_ANSWER", messageOf(error, response.status), {
    reason: textOf(error.reason),
    topupUrl: textOf(error.topup_url),
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function messageOf(error: Record<string, unknown>, status: number): string {
  return textOf(error.message) ?? `The service answered ${status}. Try again in a moment.`;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
