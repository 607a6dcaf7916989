// A real relay beside a real api, with another company's realtime server behind it.
import type { IncomingHttpHeaders } from "node:http";
import { type ClientOptions, WebSocket } from "ws";
import { createLogger } from "../../../program/log.ts";
import { ApiClient } from "../../../relay/api-client.ts";
import { Relay } from "../../../relay/relay.ts";
import type { PeerSettings } from "../../../relay/webrtc/answer-peer.ts";
import { type RealtimeServer, type RealtimeServerOptions, withRealtimeServer } from "../servers/realtime-server.ts";
import { waitFor } from "../wait-for.ts";
import { type TestApi, type WithApiOptions, withApi } from "./with-api.ts";

export interface RelayStage {
  api: TestApi;
  relay: Relay;
  upstream: RealtimeServer;
  /** `ws://127.0.0.1:…/v1/realtime` */
  url: string;
  /** Moves the relay's clock, which stands still otherwise. */
  advance(ms: number): void;
  /** A client that has sent its handshake. */
  open(options?: OpenOptions): TestClient;
  /** A client with a call that has begun: `session.created` has arrived. */
  connect(options?: OpenOptions): Promise<TestClient>;
  /** The answer to a handshake that is refused. */
  refused(options?: OpenOptions): Promise<Refusal>;
  /** Waits until the account has these rows of usage: credits, newest first. */
  charged(secret: string, credits: number[]): Promise<void>;
}

export interface OpenOptions {
  secret?: string;
  /** Query of the URL, with its question mark. */
  query?: string;
  headers?: Record<string, string>;
  protocols?: string[];
  socket?: ClientOptions;
}

export interface Refusal {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
  body: any;
}

export interface TestClient {
  socket: WebSocket;
  /** What arrived, oldest first; text as text. */
  events: (string | Buffer)[];
  closed: Promise<{ code: number; reason: string }>;
  /** Headers of the accepted handshake; null before. */
  answered: IncomingHttpHeaders | null;
  /** The event of this type, once it arrives. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  event(type: string): Promise<any>;
}

export interface WithRelayOptions extends RealtimeServerOptions {
  api?: WithApiOptions;
  /** Beside `gpt-realtime-mini`. */
  upstreams?: object[];
  connectMs?: number;
  maxHeldBytes?: number;
  silentPeersMs?: number;
  /** Of calls over WebRTC. */
  peers?: PeerSettings;
  /** Default false. */
  trustProxy?: boolean;
  /** Default: the test's server. */
  baseUrl?: string;
}

/** Runs `work` with its own relay, api and realtime server. The relay reports every 100 ms. */
export function withRelay<T>(options: WithRelayOptions, work: (stage: RelayStage) => Promise<T>): Promise<T> {
  return withRealtimeServer(options, (upstream) => {
    const { baseUrl = upstream.baseUrl, upstreams = [] } = options;
    const listed = [{ name: "gpt-realtime-mini", base_url: baseUrl, api_key: "sk-cloud" }, ...upstreams];
    const environment = { AVATAR_REALTIME_UPSTREAMS: JSON.stringify(listed), ...options.api?.environment };
    return withApi(
      async (api) => {
        let nowMs = 0;
        const client = new ApiClient({ apiUrl: api.baseUrl, livekit: api.services.livekit });
        const relay = new Relay({
          api: client,
          logger: createLogger({ level: "silent", name: "relay" }),
          trustProxy: options.trustProxy ?? false,
          now: () => nowMs,
          reportMs: 100,
          connectMs: options.connectMs,
          peers: options.peers,
          maxHeldBytes: options.maxHeldBytes,
          silentPeersMs: options.silentPeersMs,
        });
        const port = await relay.start(0, "127.0.0.1");
        const url = `ws://127.0.0.1:${port}/v1/realtime`;
        const clients: TestClient[] = [];
        const open = (wanted: OpenOptions = {}): TestClient => {
          const opened = openClient(url, wanted);
          clients.push(opened);
          return opened;
        };
        try {
          return await work({
            api,
            relay,
            upstream,
            url,
            advance: (ms) => {
              nowMs += ms;
            },
            open,
            async connect(wanted) {
              const opened = open(wanted);
              await opened.event("session.created");
              return opened;
            },
            refused: (wanted) => readRefusal(open(wanted).socket),
            charged: (secret, credits) => waitForCharges(api, secret, credits),
          });
        } finally {
          for (const { socket } of clients) socket.terminate();
          await relay.close();
        }
      },
      { ...options.api, environment },
    );
  });
}

function openClient(
  url: string,
  { secret, query = "", headers, protocols = [], socket: more }: OpenOptions,
): TestClient {
  const socket = new WebSocket(url + query, protocols, {
    headers: { ...(secret !== undefined && { "api-secret": secret }), ...headers },
    perMessageDeflate: true,
    ...more,
  });
  const events: (string | Buffer)[] = [];
  socket.on("message", (data, isBinary) => events.push(isBinary ? (data as Buffer) : data.toString()));
  socket.on("error", () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  const find = (type: string) =>
    events.flatMap((event) => {
      if (typeof event !== "string" || !event.startsWith("{")) return [];
      const parsed = JSON.parse(event);
      return parsed.type === type ? [parsed] : [];
    })[0];
  const client: TestClient = {
    socket,
    events,
    closed,
    answered: null,
    async event(type) {
      await waitFor(() => find(type) !== undefined, type);
      return find(type);
    },
  };
  socket.on("upgrade", ({ headers: answered }) => {
    client.answered = answered;
  });
  return client;
}

function readRefusal(socket: WebSocket): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    socket.once("open", () => reject(new Error("the handshake was accepted")));
    socket.once("error", reject);
    socket.once("unexpected-response", (_, response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) });
      });
    });
  });
}

async function waitForCharges(api: TestApi, secret: string, credits: number[]): Promise<void> {
  const read = async (): Promise<number[]> => {
    const { body } = await api.call("GET", "/v1/usage", { secret });
    return body.data.map((row: { credits_change: number }) => row.credits_change);
  };
  await waitFor(async () => JSON.stringify(await read()) === JSON.stringify(credits), `charges of ${credits}`);
}
