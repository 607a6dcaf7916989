// The return value of a handler that needs more than JSON with status 200: another status, headers, bytes or a
// redirect.
import type { Readable } from "node:stream";

export interface AnswerOptions<T> {
  /** Default 200. */
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON. At most one of `json`, `bytes` and `stream`. */
  json?: T;
  /** Sent as is; name its type in `headers`. */
  bytes?: Uint8Array | string;
  /** Piped to the caller; name its type in `headers`. Destroyed when the caller disconnects. */
  stream?: Readable;
  /** Whether the stream ends when the caller leaves, so that this is no answer that was cut short. Default false. */
  isOpenEnded?: boolean;
}

/** A complete HTTP answer. Handlers return either this or the JSON value itself. */
export class Answer<T = unknown> {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly json: T | undefined;
  readonly bytes: Uint8Array | string | undefined;
  readonly stream: Readable | undefined;
  readonly isOpenEnded: boolean;

  constructor(options: AnswerOptions<T>) {
    this.status = options.status ?? 200;
    this.headers = options.headers ?? {};
    this.json = options.json;
    this.bytes = options.bytes;
    this.stream = options.stream;
    this.isOpenEnded = options.isOpenEnded ?? false;
  }
}

/** A redirect (302) to an absolute or root-relative URL. */
export function redirectTo(location: string): Answer<never> {
  return new Answer<never>({ status: 302, headers: { Location: location, "Cache-Control": "no-store" } });
}
