// The file of the avatar, for a face that this tab renders.
import { sha256Hex } from "../../src/face/imx/sha256.ts";
import { RequestError } from "../shared/request-error.ts";

/** A file as the service describes it. */
export interface Bundle {
  url: string;
  /** Lower-case hexadecimal. */
  sha256: string;
  bytes: number;
}

/** More is no avatar. */
export const MOST_BUNDLE_BYTES = 64 * 1024 * 1024;
/** Without a byte for so long, the connection is lost. */
const STALL_MS = 15_000;

export interface FetchBundleOptions {
  token: string;
  signal: AbortSignal;
  /** Share that has arrived, 0 to 1. */
  onProgress(share: number): void;
}

/** Fetches and checks the file; the browser keeps it for the next visit. A copy that is cut short or of other content
 *  is fetched once more, past what the browser keeps. Throws RequestError: with the service's code, NETWORK, or
 *  BUNDLE_INVALID; and the reason of the signal. */
export async function fetchBundle(bundle: Bundle, options: FetchBundleOptions): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await fetchOnce(bundle, "default", options);
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof RequestError) || !["NETWORK", "BUNDLE_INVALID"].includes(error.code)) throw error;
    return fetchOnce(bundle, "reload", options);
  }
}

async function fetchOnce(
  { url, sha256, bytes }: Bundle,
  cache: RequestCache,
  { token, signal, onProgress }: FetchBundleOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), STALL_MS);
  try {
    const response = await fetch(url, {
      cache,
      credentials: "omit",
      referrerPolicy: "no-referrer",
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, stalled.signal]),
    });
    if (!response.ok) throw await refusalOf(response);
    const file = new Uint8Array(bytes);
    let filled = 0;
    for (const reader = response.body!.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), STALL_MS);
      if (filled + value.length > bytes) {
        void reader.cancel().catch(() => undefined);
        throw invalid("longer than the service said");
      }
      file.set(value, filled);
      filled += value.length;
      onProgress(filled / bytes);
    }
    if (filled < bytes) throw invalid("cut short");
    if ((await sha256Hex(file)) !== sha256) throw invalid("not the one that the service named");
    return file;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof RequestError ? error : new RequestError("NETWORK", `The avatar's file did not arrive.`);
  } finally {
    clearTimeout(timer);
  }
}

async function refusalOf(response: Response): Promise<RequestError> {
  const answer: unknown = await response.json().catch(() => undefined);
  const { code, message } = (answer as { error?: { code?: unknown; message?: unknown } } | undefined)?.error ?? {};
  return new RequestError(
    typeof code === "string" ? code : "BAD_ANSWER",
    typeof message === "string" ? message : `The service answered ${response.status}.`,
  );
}

function invalid(why: string): RequestError {
  return new RequestError("BUNDLE_INVALID", `The avatar's file is ${why}.`);
}
