// What a client's request to a relay says: its credential, its model, its protocols, and what the upstream should see.
import type { IncomingMessage } from "node:http";
import type { RelayCaller } from "../shared/realtime-api.ts";
import { HEADER_API_SECRET } from "../shared/wire-names.ts";
import { RefusedByProtocol } from "./request-error.ts";

/** Browsers cannot set headers on a WebSocket; OpenAI's clients send the key as one of its protocols instead. */
const KEY_PROTOCOL = "openai-insecure-api-key.";
const REALTIME_PROTOCOL = "realtime";
const BETA_PROTOCOL = "openai-beta.realtime-v1";
/** By these the api tells requests of this machine from others. */
const ORIGIN_HEADERS = ["host", "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"] as const;
/** Passed on to the upstream. Others could name projects of the operator's account there. */
const UPSTREAM_HEADERS = ["openai-beta", "openai-safety-identifier", "x-client-request-id"] as const;
const MAX_QUERY_CHARACTERS = 2_000;

export interface ClientRequest {
  caller: RelayCaller;
  path: string;
  /** Null if the request names none. */
  model: string | null;
  /** The query besides the model; the last value of a name counts. */
  query: Record<string, string>;
  /** Protocols of a WebSocket that the client offers. */
  protocols: readonly string[];
  upstreamHeaders: Record<string, string>;
}

/** Reads a request. Throws RefusedByProtocol for an invalid URL. */
export function readClientRequest(request: IncomingMessage, ip: string): ClientRequest {
  const { headers } = request;
  const url = parseUrl(request.url ?? "/");
  const protocols = textOf(headers["sec-websocket-protocol"])
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const key = protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  const secret = textOf(headers[HEADER_API_SECRET]);
  const authorization = textOf(headers.authorization) || (key ? `Bearer ${key}` : "");
  const query = Object.fromEntries(
    [...url.searchParams].map(([name, value]) => [name.slice(0, 100), value.slice(0, MAX_QUERY_CHARACTERS)]),
  );
  const { model = "", ...others } = query;
  return {
    caller: {
      ip,
      headers: {
        ...pick(headers, ORIGIN_HEADERS),
        ...(secret !== "" && { [HEADER_API_SECRET]: secret.slice(0, 8_192) }),
        ...(authorization !== "" && { authorization: authorization.slice(0, 8_192) }),
      },
    },
    path: url.pathname.length > 1 ? url.pathname.replace(/\/+$/, "") : url.pathname,
    model: model === "" ? null : model.slice(0, 200),
    query: others,
    protocols,
    upstreamHeaders: {
      ...(protocols.includes(BETA_PROTOCOL) && { "openai-beta": "realtime=v1" }),
      ...pick(headers, UPSTREAM_HEADERS),
    },
  };
}

/** The protocol to answer with; never the one that holds a key. */
export function chooseProtocol(offered: readonly string[]): string | null {
  return [REALTIME_PROTOCOL, BETA_PROTOCOL].find((name) => offered.includes(name)) ?? null;
}

/** Throws RefusedByProtocol unless the request opens a WebSocket as RFC 6455 says. */
export function assertWebSocket({ method, headers }: IncomingMessage): void {
  const isUpgrade = method === "GET" && textOf(headers.upgrade).toLowerCase() === "websocket";
  if (!isUpgrade) {
    // The contract has no 426; its clients know 400.
    throw new RefusedByProtocol(400, "This endpoint is a WebSocket. Open it as one.", { Upgrade: "websocket" });
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(textOf(headers["sec-websocket-key"]))) {
    throw new RefusedByProtocol(400, "The header Sec-WebSocket-Key is missing or wrong");
  }
  if (textOf(headers["sec-websocket-version"]) !== "13") {
    throw new RefusedByProtocol(426, "The version of WebSocket must be 13", { "Sec-WebSocket-Version": "13" });
  }
}

function parseUrl(target: string): URL {
  try {
    return new URL(target, "http://relay.invalid");
  } catch {
    throw new RefusedByProtocol(400, "The request's URL is not valid");
  }
}

function pick(headers: IncomingMessage["headers"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (textOf(headers[name]) === "" ? [] : [[name, textOf(headers[name]).slice(0, 8_192)]])),
  );
}

/** The text of a header; empty without it. */
export function textOf(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}
