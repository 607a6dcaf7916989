// An endpoint of the operator that speaks the OpenAI protocol: a language model or an image model. It may have a
// private address, which callers' URLs may not, so it has a client of its own.

import { portOf } from "../../../program/outgoing/address-rules.ts";
import {
  createOutgoingClient,
  type Download,
  type DownloadOptions,
} from "../../../program/outgoing/outgoing-client.ts";
import { ServiceError } from "../../../shared/errors.ts";

/** The largest answer is an image in base64. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface OpenAiEndpointOptions {
  /** Base URL including the version, for example `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  /** Sent as Bearer. */
  apiKey?: string;
}

export interface OpenAiEndpoint {
  /** Posts JSON to a path below the base, like `/chat/completions`, and returns the parsed answer. Throws ServiceError:
   *  UPSTREAM_TIMEOUT, UPSTREAM_UNAVAILABLE (not reached, or it answered 429 or 5xx: can be retried), UPSTREAM_ERROR
   *  (it refused, or its answer is not JSON). */
  post(path: string, body: object, options: { timeoutMs: number; signal?: AbortSignal }): Promise<unknown>;
  /** Fetches a file by a URL that an answer contains. Throws as `OutgoingClient.download`. */
  download(url: string, options: DownloadOptions): Promise<Download>;
  /** Drops idle connections. Idempotent. */
  close(): Promise<void>;
}

/** A model that the operator configured. */
export interface OpenAiModel {
  endpoint: OpenAiEndpoint;
  /** The model's name at the endpoint. */
  model: string;
}

/** The endpoint of a base URL. Does not connect before the first call. */
export function createOpenAiEndpoint({ baseUrl, apiKey }: OpenAiEndpointOptions): OpenAiEndpoint {
  const base = new URL(baseUrl);
  const client = createOutgoingClient({ allowHosts: [`${base.hostname.replace(/^\[|\]$/g, "")}:${portOf(base)}`] });
  const prefix = base.href.replace(/\/+$/, "");
  return {
    async post(path, body, { timeoutMs, signal }) {
      const { status, bytes } = await client.exchange(`${prefix}${path}`, {
        headers: {
          "content-type": "application/json",
          accept: "application/json",
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(body),
        timeoutMs,
        signal,
        maxBytes: MAX_ANSWER_BYTES,
      });
      if (status === 429 || status >= 500) {
        throw new ServiceError("UPSTREAM_UNAVAILABLE", `The model server answered with status ${status}`);
      }
      if (status !== 200)
        throw new ServiceError("UPSTREAM_ERROR", `The model server refused the request with status ${status}`);
      try {
        return JSON.parse(new TextDecoder().decode(bytes));
      } catch (cause) {
        throw new ServiceError("UPSTREAM_ERROR", "The model server's answer is not JSON", { cause });
      }
    },
    download: (url, options) => client.download(url, options),
    close: () => client.close(),
  };
}
