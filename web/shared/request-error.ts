import type { ServiceWords } from "./service-words/service-words.ts";

/** A request that did not succeed, with a message for the visitor: the service's own words wherever it answered. */
export class RequestError extends Error {
  /** A code of the service's error table, or `NETWORK` if no answer came. */
  readonly code: string;
  /** What is wrong with a picture, where the code says less: `no-face`, `not-a-person` or `face-unsuitable`. */
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Where credits can be bought, if that would help. */
  readonly topupUrl: string | undefined;

  constructor(
    code: string,
    message: string,
    { reason, retryAfterSeconds, topupUrl }: { reason?: string; retryAfterSeconds?: number; topupUrl?: string } = {},
  ) {
    super(message);
    this.name = "RequestError";
    this.code = code;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.topupUrl = topupUrl;
  }

  /** The same with words in another language; what the service said stands behind them. */
  inWords({ error }: ServiceWords): RequestError {
    const { words, detail } = error(this.code, this.message);
    return new RequestError(this.code, detail === undefined ? words : `${words} (${detail})`, this);
  }
}
