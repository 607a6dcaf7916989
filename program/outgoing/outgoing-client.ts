// The only client for HTTP URLs of callers: every connection, redirect and size is checked.
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type Agent, type Dispatcher, errors, request } from "undici";
import { isServiceError, ServiceError } from "../../shared/errors.ts";
import { type AddressGuard, createAddressGuard, type GuardPolicy } from "./address-guard.ts";
import { createGuardedAgent } from "./guarded-agent.ts";

const MAX_REDIRECTS = 4;
/** After a longer answer to a POST, the connection is closed instead of reused. */
const MAX_IGNORED_BYTES = 16_384;
const PROTOCOLS = ["http:", "https:"];
/** Longest wait for the first bytes of an answer to a download. */
const ANSWER_TIMEOUT_MS = 15_000;
/** A download of a caller's URL ends if a period brings fewer bytes than this speed: each holds a slot meanwhile. */
const LEAST_BYTES_PER_S = 8_192;
const SPEED_PERIOD_MS = 5_000;

export interface DownloadOptions {
  /** Largest accepted body in bytes; more is FILE_TOO_LARGE. */
  maxBytes: number;
  /** Limit for the whole download, redirects included, in ms. */
  timeoutMs: number;
  /** Aborts the download, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

export interface Download {
  bytes: Uint8Array;
  /** Declared by the server, in lower case, without parameters; empty without a declaration. Not trustworthy. */
  contentType: string;
}

export interface SavedDownload {
  sizeBytes: number;
  /** As in `Download`. */
  contentType: string;
  /** Last part of the path of the URL that answered, after redirects; empty when there is none. */
  fileName: string;
}

export interface ResumeOptions extends DownloadOptions {
  /** Called with the bytes that the file has, whenever some arrived. */
  onProgress?(bytes: number): void;
}

export interface PostOptions {
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** Limit until the server has answered with a status, in ms. */
  timeoutMs: number;
  /** Aborts the request. */
  signal?: AbortSignal;
}

export interface ExchangeOptions extends PostOptions {
  /** Largest accepted answer in bytes. */
  maxBytes: number;
}

export interface Exchange {
  status: number;
  bytes: Uint8Array;
}

/** An answer that is read as it comes. */
export interface StreamedAnswer {
  status: number;
  /** As the server declares it; empty without a declaration. */
  contentType: string;
  body: AsyncIterable<Uint8Array>;
}

export interface OutgoingClient {
  readonly guard: AddressGuard;
  /** Fetches a file. Throws ServiceError: VALIDATION_ERROR for a malformed or private URL (also when a redirect leads
   *  there), FILE_TOO_LARGE, DownloadError for everything else, such as an answer that takes 15 s to begin or comes
   *  with less than 8 KB/s. */
  download(url: string, options: DownloadOptions): Promise<Download>;
  /** As `download`, to a new file, without holding it in memory. The caller removes the file, also after an error. */
  save(url: string, path: string, options: DownloadOptions): Promise<SavedDownload>;
  /** As `save`, into a file that may have the first bytes already: only the rest is fetched where the server can do
   *  that, else the file begins again. The bytes that arrived stay after an error. */
  resume(url: string, path: string, options: ResumeOptions): Promise<void>;
  /** Posts a body and returns the status, whatever it is. Redirects are not followed, because the body and the headers
   *  are meant for this server only. Throws ServiceError: VALIDATION_ERROR for a malformed or private URL,
   *  UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE for everything else. */
  post(url: string, options: PostOptions): Promise<number>;
  /** As `post`, and returns the server's answer. Throws as `post`, and UPSTREAM_ERROR for an answer over `maxBytes`. */
  exchange(url: string, options: ExchangeOptions): Promise<Exchange>;
  /** As `exchange`, without limits: the caller reads the body, and aborts the signal when it has waited or read enough.
   *  Rejects with VALIDATION_ERROR for a malformed or private URL, the signal's reason, and errors of the connection;
   *  so does the body. */
  stream(
    url: string,
    options: Pick<PostOptions, "headers" | "body"> & { signal: AbortSignal },
  ): Promise<StreamedAnswer>;
  /** Drops idle connections. Idempotent. */
  close(): Promise<void>;
}

/** A download that failed. */
export class DownloadError extends ServiceError {
  /** Whether the server may be able to answer later. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass, cause }: { mayPass: boolean; cause?: unknown }) {
    super("DOWNLOAD_FAILED", message, { cause });
    this.name = "DownloadError";
    this.mayPass = mayPass;
  }
}

/** A client under an address policy, which is checked for the address that is actually dialled. */
export function createOutgoingClient(policy: GuardPolicy = {}): OutgoingClient {
  const guard = createAddressGuard(policy);
  const agent = createGuardedAgent(guard);

  async function send<T>(
    url: string,
    { headers, body, timeoutMs, signal }: PostOptions,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(guard.parseUrl(url, PROTOCOLS), {
        method: "POST",
        dispatcher: agent,
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
        headers,
        body,
      });
      return await read(response);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) throw refusal;
      if (timeout.aborted) {
        throw new ServiceError("UPSTREAM_TIMEOUT", `The server did not answer within ${timeoutMs / 1000} s`, {
          cause: error,
        });
      }
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "The server could not be reached", { cause: error });
    }
  }

  async function fetchFile<T>(
    url: string,
    { maxBytes, timeoutMs, signal, from }: DownloadOptions & { from?: number },
    read: (download: OpenDownload) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([timeout, signal]) : timeout;
    try {
      return await read(await follow(url, guard, agent, either, maxBytes, from));
    } catch (error) {
      signal?.throwIfAborted();
      throw asServiceError(error, timeout.aborted);
    }
  }

  return {
    guard,
    async download(url, options) {
      return fetchFile(url, options, async ({ body, contentType }) => {
        return { bytes: await readLimited(paced(body), options.maxBytes), contentType };
      });
    },
    async save(url, path, options) {
      return fetchFile(url, options, async ({ body, contentType, url: source }) => {
        const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
        await pipeline(limited(paced(body), options.maxBytes), file);
        return { sizeBytes: file.bytesWritten, contentType, fileName: fileNameOf(source) };
      });
    },
    async resume(url, path, { onProgress, ...options }) {
      const from = await sizeOf(path);
      return fetchFile(url, { ...options, from }, async ({ body, isRest }) => {
        let bytes = isRest ? from : 0;
        const counted = async function* () {
          for await (const chunk of limited(body, options.maxBytes - bytes)) {
            yield chunk;
            bytes += chunk.length;
            onProgress?.(bytes);
          }
        };
        await pipeline(counted, createWriteStream(path, { flags: isRest ? "a" : "w", mode: 0o600 }));
      });
    },
    async post(url, options) {
      return send(url, options, async ({ statusCode, body }) => {
        // Only the status matters, but the connection can be reused only after the body has been read.
        await body.dump({ limit: MAX_IGNORED_BYTES }).catch(() => undefined);
        return statusCode;
      });
    },
    async exchange(url, { maxBytes, ...options }) {
      return send(url, options, async ({ statusCode, body }) => {
        const bytes = await readLimited(body, maxBytes).catch((cause: unknown) => {
          if (!isServiceError(cause)) throw cause;
          throw new ServiceError("UPSTREAM_ERROR", "The server's answer is too large", { cause });
        });
        return { status: statusCode, bytes };
      });
    },
    async stream(url, options) {
      const response = await request(guard.parseUrl(url, PROTOCOLS), { method: "POST", dispatcher: agent, ...options });
      const contentType = String(response.headers["content-type"] ?? "");
      return { status: response.statusCode, contentType, body: response.body };
    },
    close: () => agent.destroy(),
  };
}

interface OpenDownload {
  body: Dispatcher.ResponseData["body"];
  contentType: string;
  /** URL after all redirects. */
  url: URL;
  /** Whether the body is only what follows the first `from` bytes. */
  isRest: boolean;
}

/** Follows redirects, each checked by the guard, and returns the first answer that is not a redirect. */
async function follow(
  start: string,
  guard: AddressGuard,
  agent: Agent,
  signal: AbortSignal,
  maxBytes: number,
  from = 0,
): Promise<OpenDownload> {
  let url = guard.parseUrl(start, PROTOCOLS);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const range = from > 0 && { range: `bytes=${from}-` };
    const headers = { accept: "*/*", ...range };
    const response = await request(url, { dispatcher: agent, signal, headers, headersTimeout: ANSWER_TIMEOUT_MS });
    const location = response.headers.location;
    if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === "string") {
      await response.body.dump();
      url = guard.parseUrl(URL.canParse(location, url) ? new URL(location, url).href : location, PROTOCOLS);
      continue;
    }
    const isRest = from > 0 && response.statusCode === 206;
    if (response.statusCode !== 200 && !isRest) {
      await response.body.dump();
      const { statusCode } = response;
      const message = `The URL could not be fetched: its server answered with status ${statusCode}`;
      throw new DownloadError(message, { mayPass: statusCode === 429 || statusCode >= 500 });
    }
    const declared = Number(response.headers["content-length"] ?? 0);
    if (declared > maxBytes) {
      // Destroying an unread body emits an abort error; only the error thrown here is relevant.
      response.body.on("error", () => undefined).destroy();
      throw tooLarge(maxBytes);
    }
    const contentType = String(response.headers["content-type"] ?? "").split(";")[0];
    return { body: response.body, contentType: contentType.trim().toLowerCase(), url, isRest };
  }
  throw new DownloadError(`The URL redirects more than ${MAX_REDIRECTS} times`, { mayPass: false });
}

/** Yields a body. Throws DownloadError when it comes too slowly. */
async function* paced(body: Dispatcher.ResponseData["body"]): AsyncGenerator<Buffer> {
  let periodBytes = 0;
  const timer = setInterval(() => {
    const isSlow = periodBytes < (LEAST_BYTES_PER_S * SPEED_PERIOD_MS) / 1000;
    periodBytes = 0;
    if (isSlow) body.destroy(new DownloadError("The server of the URL sends too slowly", { mayPass: false }));
  }, SPEED_PERIOD_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      periodBytes += chunk.length;
      yield chunk;
    }
  } finally {
    clearInterval(timer);
  }
}

/** Yields a body, up to `maxBytes`. */
async function* limited(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

async function readLimited(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** 0 for a file that does not exist. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

function fileNameOf(url: URL): string {
  const last = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last; // A stray percent sign: the name is for display only.
  }
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("FILE_TOO_LARGE", `The file at the URL is larger than ${Math.floor(maxBytes / 1e6)} MB`);
}

/** The guard's error, which the HTTP client may have wrapped; the caller should see the original. */
function refusalIn(error: unknown): ServiceError | null {
  if (isServiceError(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return isServiceError(cause) ? cause : null;
}

function asServiceError(error: unknown, timedOut: boolean): ServiceError {
  const refusal = refusalIn(error);
  if (refusal) return refusal;
  if (timedOut || error instanceof errors.HeadersTimeoutError) {
    return new DownloadError("The URL could not be fetched in time", { mayPass: false, cause: error });
  }
  return new DownloadError("The URL could not be fetched", { mayPass: true, cause: error });
}
