// The realtime relay: a server that answers at /v1/realtime and leads each call to the server of its model. It keeps
// nothing of what is said, has no database, and goes on while the api restarts.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocketServer } from "ws";
import { createProxyWarning } from "../program/http/proxy-warning.ts";
import type { Logger } from "../program/log.ts";
import { isLoopback } from "../program/outgoing/loopback.ts";
import { ServiceError } from "../shared/errors.ts";
import type { OpenCall, OpenedCall } from "../shared/realtime-api.ts";
import { HEADER_CALL, HEADER_CLIENT_ADDRESS } from "../shared/wire-names.ts";
import type { ApiClient } from "./api-client.ts";
import { CallRegistry } from "./call-registry.ts";
import { assertWebSocket, type ClientRequest, chooseProtocol, readClientRequest, textOf } from "./client-request.ts";
import { connectUpstream, type UpstreamConnection } from "./connect-upstream.ts";
import { joinWebSocket } from "./join-websocket.ts";
import { MAX_EVENT_BYTES, MAX_EVENT_CHUNKS } from "./paced-socket.ts";
import { RelayCall } from "./relay-call.ts";
import { RelayMetrics } from "./relay-metrics.ts";
import { answerOf, refuseRequest, refuseUpgrade, type TextAnswer } from "./request-error.ts";
import { answerConnect } from "./webrtc/answer-connect.ts";
import type { PeerSettings } from "./webrtc/answer-peer.ts";
import { CORS_HEADERS, isConnectPath } from "./webrtc/connect-request.ts";
import { WebRtcPeers } from "./webrtc/webrtc-peers.ts";

const REALTIME_PATH = "/v1/realtime";
/** Most calls of one relay. */
const MAX_CALLS = 5_000;
/** `Retry-After` of a relay that stops or is full: another one, or its successor, takes the call. */
const FULL_RETRY_AFTER_SECONDS = 2;
/** Headers of a request must have arrived after this time, and a body after twice as long, in ms. */
const HEADERS_MS = 10_000;
/** Pause between two looks at whether the calls of a draining relay have ended, in ms. */
const DRAIN_POLL_MS = 100;

export interface RelayOptions {
  api: Pick<ApiClient, "openCall" | "report" | "hangUp">;
  logger: Logger;
  /** Take the client's address from the nearest proxy's `X-Forwarded-For`. */
  trustProxy: boolean;
  /** Of calls over WebRTC. Default: any port, and the machine's own addresses. */
  peers?: PeerSettings;
  /** Whether the api behind the same front passed a request on, and names the client's address. Default: never. */
  isPassedOn?(socket: Socket): boolean;
  /** Monotonic time in ms. Default: the process's. */
  now?: () => number;
  /** Interval of reports to the api, in ms. Default 2,000. */
  reportMs?: number;
  /** Time for the upstream to answer, in ms. Default 10,000. */
  connectMs?: number;
  /** Time for a request's headers, in ms. Default 10,000. */
  headersMs?: number;
  /** Time without a sign of life after which the process of WebRTC calls is ended, in ms. Default 30,000. */
  silentPeersMs?: number;
  /** Bytes that all calls may keep in memory together. Default 256 MiB. */
  maxHeldBytes?: number;
}

/** A call that was admitted, with its upstream connected; the client is not connected yet. */
export interface AdmittedCall {
  call: RelayCall;
  opened: OpenedCall;
  /** The upstream's own id of the request, if it gave one. */
  upstreamRequestId: string | null;
}

/** From `start()` over `drain()` to `close()`. Its state is that of its calls (`CallRegistry`). */
export class Relay {
  /** Takes connections that another process accepted, too: `server.emit("connection", socket)`. */
  readonly server: Server;
  readonly metrics = new RelayMetrics();
  readonly calls: CallRegistry;
  readonly peers: WebRtcPeers;
  readonly #options: RelayOptions;
  readonly #warnOfProxy: ReturnType<typeof createProxyWarning>;
  readonly #webSockets: WebSocketServer;
  /** Calls of each transport, those included that are being opened. */
  readonly #taken: Record<OpenCall["transport"], number> = { websocket: 0, webrtc: 0 };
  #closing: Promise<void> | null = null;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#warnOfProxy = createProxyWarning(options);
    this.calls = new CallRegistry(options);
    this.peers = new WebRtcPeers(options.logger, options.silentPeersMs);
    this.metrics.measurePeers(this.peers);
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_EVENT_BYTES,
      maxBufferedChunks: MAX_EVENT_CHUNKS,
      handleProtocols: (offered) => chooseProtocol([...offered]) ?? false,
    });
    const { headersMs = HEADERS_MS } = options;
    const limits = {
      headersTimeout: headersMs,
      requestTimeout: 2 * headersMs,
      connectionsCheckingInterval: headersMs / 2,
    };
    this.server = createServer(limits, (request, response) => void this.#answer(request, response));
    this.server.on("upgrade", (request, socket, head) => void this.#upgrade(request, socket, head));
    this.server.on("clientError", (_, socket) => socket.destroy());
  }

  /** Listens, and reports to the api. Returns the port. */
  async start(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, host, () => {
        this.server.off("error", reject);
        resolve();
      });
    });
    this.calls.start();
    return (this.server.address() as AddressInfo).port;
  }

  /** Takes no more calls. Resolves when none is left, or after `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    this.calls.drain();
    const deadlineMs = performance.now() + timeoutMs;
    while (this.calls.size > 0 && performance.now() < deadlineMs && this.#closing === null) {
      await delay(DRAIN_POLL_MS);
    }
  }

  /** Ends all calls (1013) and reports them. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.server.close();
      this.server.closeIdleConnections();
      await this.calls.close();
      await this.peers.close();
      this.server.closeAllConnections();
    })();
    return this.#closing;
  }

  /** Opens a call for a request of any transport: asks the api, then connects the upstream. The caller must begin or
   *  end it. Throws the refusal. */
  async admit(request: ClientRequest, transport: OpenCall["transport"]): Promise<AdmittedCall> {
    if (this.calls.isDraining || !this.#hasSlot(transport)) {
      const options = { retryAfterSeconds: FULL_RETRY_AFTER_SECONDS };
      throw new ServiceError("SERVICE_UNAVAILABLE", "This relay takes no more calls. Try again.", options);
    }
    this.#taken[transport] += 1;
    try {
      return await this.#open(request, transport);
    } catch (error) {
      this.#taken[transport] -= 1;
      throw error;
    }
  }

  #hasSlot(transport: OpenCall["transport"]): boolean {
    const { websocket, webrtc } = this.#taken;
    const isPortFree = transport === "websocket" || webrtc < (this.#ports ?? Number.POSITIVE_INFINITY);
    return websocket + webrtc < MAX_CALLS && isPortFree;
  }

  /** UDP ports for calls over WebRTC; undefined if any may be used. */
  get #ports(): number | undefined {
    const { ports } = this.#options.peers ?? {};
    return ports && ports.max - ports.min + 1;
  }

  async #open(request: ClientRequest, transport: OpenCall["transport"]): Promise<AdmittedCall> {
    const { api, logger, connectMs, now = () => performance.now() } = this.#options;
    const { caller, model, query } = request;
    const startedMs = performance.now();
    const opened = await api.openCall({
      relay_id: this.calls.relayId,
      caller,
      model,
      query,
      transport,
      webrtc_ports: transport === "webrtc" ? this.#ports : undefined,
    });
    let connection: UpstreamConnection;
    try {
      connection = await connectUpstream({
        upstream: opened.upstream,
        headers: request.upstreamHeaders,
        timeoutMs: connectMs,
      });
    } catch (error) {
      this.calls.forget(opened.call_id);
      logger.warn({ err: error, callId: opened.call_id, model: opened.model }, "realtime upstream not connected");
      throw error;
    }
    const call = new RelayCall({
      opened,
      upstream: connection.socket,
      connection: connection.connection,
      now,
      onBytes: (direction, bytes) => this.metrics.noteBytes(direction, bytes),
      onSent: (direction, waitMs) => this.metrics.noteSent(direction, waitMs),
      onEnd: (ended, { reason, code }) => {
        const { id: callId, model: name, seconds } = ended;
        this.calls.remove(ended);
        this.#taken[transport] -= 1;
        this.metrics.noteEnd(name, reason, seconds);
        logger.info({ callId, model: name, transport, seconds, reason, code }, "realtime call ended");
      },
    });
    call.start();
    this.calls.add(call);
    this.metrics.noteBegin(call.model);
    this.metrics.noteAdmitted(performance.now() - startedMs);
    logger.info({ callId: call.id, model: call.model, transport }, "realtime call admitted");
    if (this.calls.isDraining) call.end("draining");
    return { call, opened, upstreamRequestId: connection.requestId };
  }

  async #upgrade(message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = randomUUID();
    socket.on("error", () => socket.destroy());
    try {
      const request = readClientRequest(message, this.#ipOf(message));
      if (request.path !== REALTIME_PATH) throw notFound(message);
      assertWebSocket(message);
      const { call, upstreamRequestId } = await this.admit(request, "websocket");
      let isJoined = false;
      this.#webSockets.once("headers", (lines: string[]) => {
        lines.push(`X-Request-Id: ${requestId}`, `${HEADER_CALL}: ${call.id}`);
        if (upstreamRequestId !== null) lines.push(`X-Upstream-Request-Id: ${upstreamRequestId}`);
      });
      // Runs at once, or not at all if the client has gone.
      this.#webSockets.handleUpgrade(message, socket as Socket, head, (webSocket) => {
        isJoined = true;
        joinWebSocket(call, webSocket, socket as Socket);
      });
      if (!isJoined) {
        this.#webSockets.removeAllListeners("headers");
        call.end({ reason: "client_closed", code: 1006, text: "" });
      }
    } catch (error) {
      refuseUpgrade(socket, this.#refuse(error, requestId));
    }
  }

  async #answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomUUID();
    try {
      const request = readClientRequest(message, this.#ipOf(message));
      const { path } = request;
      if (isConnectPath(path, message.method)) return await this.#connect(message, response, request, requestId);
      // The body, if any, is not read.
      message.resume();
      if (path === REALTIME_PATH && message.method === "GET") assertWebSocket(message);
      else if (message.method === "GET" && path === "/ready") response.end(`${JSON.stringify(this.#state())}\n`);
      else if (message.method === "GET" && path === "/metrics" && isFromHere(message)) {
        response.setHeader("Content-Type", this.metrics.registry.contentType);
        response.end(await this.metrics.registry.metrics());
      } else throw notFound(message);
    } catch (error) {
      const answer = this.#refuse(error, requestId);
      const isForPages = isConnectPath((message.url ?? "").split("?")[0], message.method);
      refuseRequest(response, isForPages ? { ...answer, headers: { ...answer.headers, ...CORS_HEADERS } } : answer);
    }
  }

  #connect(message: IncomingMessage, response: ServerResponse, request: ClientRequest, requestId: string) {
    const { api, peers: settings = {} } = this.#options;
    return answerConnect({
      message,
      response,
      request,
      requestId,
      api,
      settings,
      peers: this.peers,
      admit: async (model, isTranscription) => {
        const query = isTranscription ? { ...request.query, intent: "transcription" } : request.query;
        return (await this.admit({ ...request, model, query }, "webrtc")).call;
      },
      hangUp: (callId) => this.calls.end(callId, "hung_up"),
    });
  }

  #state(): object {
    return {
      status: this.calls.isDraining ? "draining" : "ok",
      calls: this.calls.size,
      webrtc: this.peers.pid === undefined ? "idle" : "ok",
    };
  }

  /** The answer for an error, which is counted, and logged if it is not the caller's. */
  #refuse(error: unknown, requestId: string): TextAnswer {
    const answer = answerOf(error, requestId);
    const { code, status } = answer;
    if (code === "INTERNAL_ERROR") this.#options.logger.error({ err: error, requestId }, "realtime request failed");
    else this.#options.logger.debug({ requestId, code, status }, "realtime request refused");
    this.metrics.noteRefusal(status);
    return answer;
  }

  /** Of the proxies' header only the last entry is trusted, which our own proxy appended. */
  #ipOf({ socket, headers }: IncomingMessage): string {
    this.#warnOfProxy(headers);
    const { trustProxy, isPassedOn = () => false } = this.#options;
    const forwarded = trustProxy ? textOf(headers["x-forwarded-for"]).split(",").at(-1)?.trim() : "";
    const named = isPassedOn(socket) ? textOf(headers[HEADER_CLIENT_ADDRESS]) : "";
    return (forwarded || named || socket.remoteAddress || "").slice(0, 100);
  }
}

function notFound({ method, url = "" }: IncomingMessage): ServiceError {
  return new ServiceError("NOT_FOUND", `No endpoint ${method} ${url.split("?")[0].slice(0, 200)}`);
}

/** Behind a proxy every peer is this machine, so a request with a forwarded address is refused too. */
function isFromHere({ socket, headers }: IncomingMessage): boolean {
  return isLoopback(socket.remoteAddress ?? "") && headers["x-forwarded-for"] === undefined;
}
