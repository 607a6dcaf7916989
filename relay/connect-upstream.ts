// Connects to the server that answers a call. Its refusals never reach the caller in its own words: they may quote
// keys.
import type { Socket } from "node:net";
import { WebSocket } from "ws";
import { ServiceError } from "../shared/errors.ts";
import type { OpenedCall } from "../shared/realtime-api.ts";
import { MAX_EVENT_BYTES, MAX_EVENT_CHUNKS } from "./paced-socket.ts";

const CONNECT_MS = 10_000;
const RETRY_AFTER_SECONDS = 5;

export interface UpstreamOptions {
  upstream: OpenedCall["upstream"];
  /** Of the client's request, those that the server should see. */
  headers: Readonly<Record<string, string>>;
  /** Default 10,000. */
  timeoutMs?: number;
}

export interface UpstreamConnection {
  /** Open and paused: nothing is read before its first reader is there. */
  socket: WebSocket;
  /** The connection below. */
  connection: Socket;
  /** The server's own id of the request, if it gave one. */
  requestId: string | null;
}

/** Connects within ten seconds. Throws SERVICE_UNAVAILABLE if the server is not reached, refuses or does not answer;
 *  the cause says why, for the log. */
export function connectUpstream({
  upstream,
  headers,
  timeoutMs = CONNECT_MS,
}: UpstreamOptions): Promise<UpstreamConnection> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(upstream.url, {
      headers: { ...headers, ...upstream.headers },
      perMessageDeflate: false,
      maxPayload: MAX_EVENT_BYTES,
      maxBufferedChunks: MAX_EVENT_CHUNKS,
      followRedirects: false,
    });
    // The handshake's own limit begins again with each byte of the server.
    const timer = setTimeout(() => socket.terminate(), timeoutMs);
    let requestId: string | null = null;
    let connection: Socket;
    const refuse = (cause: Error) => {
      clearTimeout(timer);
      const options = { retryAfterSeconds: RETRY_AFTER_SECONDS, cause };
      reject(new ServiceError("SERVICE_UNAVAILABLE", "The realtime server does not accept calls now.", options));
    };
    socket.once("upgrade", ({ headers: answered, socket: raw }) => {
      connection = raw;
      const id = answered["x-request-id"];
      requestId = typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id) ? id : null;
    });
    socket.once("unexpected-response", (request, response) => {
      // Its body is not read.
      request.destroy();
      refuse(new Error(`the server answered ${response.statusCode}`));
    });
    // Stays: an error without a listener would end the process.
    socket.on("error", refuse);
    socket.once("open", () => {
      clearTimeout(timer);
      socket.pause();
      resolve({ socket, connection, requestId });
    });
  });
}
