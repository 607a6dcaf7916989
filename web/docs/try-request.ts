// Sends a request as the visitor filled it in, and reads the answer whatever it is.
import { RequestError } from "../shared/request-error.ts";

/** Longer than the longest wait of the service, 90 s for a film. */
const TIMEOUT_MS = 120_000;
const MOST_TEXT_BYTES = 2_000_000;
const MOST_FILE_BYTES = 64_000_000;
/** Shown where an answer has them. */
const TELLING_HEADERS = [
  "X-Request-Id",
  "Retry-After",
  "X-RateLimit-Remaining",
  "X-RateLimit-Limit",
  "Idempotency-Replayed",
  "X-Voice-Code",
  "X-Service-Call",
];

export interface SentRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: BodyInit | undefined;
}

export interface ReceivedAnswer {
  status: number;
  durationMs: number;
  headers: readonly [name: string, value: string][];
  contentType: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Undefined for a file. */
  text: string | undefined;
  /** Parsed; undefined if it is no JSON. */
  json: unknown;
  /** The rest was not read. */
  isCut: boolean;
}

/** Throws RequestError if no answer comes. */
export async function tryRequest({ method, url, headers, body }: SentRequest): Promise<ReceivedAnswer> {
  const startMs = performance.now();
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method, headers, body, signal, credentials: "omit" });
    const contentType = response.headers.get("content-type") ?? "";
    const isText = /json|text|sdp|xml/.test(contentType) || contentType === "";
    const { bytes, isCut } = await readAtMost(response, isText ? MOST_TEXT_BYTES : MOST_FILE_BYTES);
    const text = isText ? new TextDecoder().decode(bytes) : undefined;
    return {
      status: response.status,
      durationMs: Math.round(performance.now() - startMs),
      headers: TELLING_HEADERS.flatMap((name): [string, string][] => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
      contentType,
      bytes,
      text,
      json: parsed(text),
      isCut,
    };
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new RequestError(
      "NETWORK",
      isLate
        ? "No answer came within two minutes. Send it again, or look into the service's log."
        : "The service cannot be reached. Check whether it runs, then send it again.",
    );
  }
}

async function readAtMost(response: Response, mostBytes: number) {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const reader = response.body?.getReader();
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    chunks.push(value.subarray(0, mostBytes - bytes));
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      await reader?.cancel();
      break;
    }
  }
  return { bytes: new Uint8Array(await new Blob(chunks).arrayBuffer()), isCut: bytes > mostBytes };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
