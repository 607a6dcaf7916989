// Peers that stay silent, or send a byte now and then: every wait of the relay has a deadline.
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import t from "tap";
import { createLogger } from "../../program/log.ts";
import { ApiClient } from "../../relay/api-client.ts";
import { connectUpstream } from "../../relay/connect-upstream.ts";
import { Relay } from "../../relay/relay.ts";
import { withRelay } from "../helpers/service/with-relay.ts";
import { waitFor } from "../helpers/wait-for.ts";

const LIVEKIT = { apiKey: "devkey", apiSecret: "a-secret-of-at-least-32-characters!!" };
const LIMIT_MS = 300;
const logger = createLogger({ level: "silent", name: "relay" });

/** A server that accepts connections and answers with `onSocket`. */
async function withServer(onSocket: (socket: Socket) => void, work: (port: number) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.resume();
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Sends a beginning, and then one byte every 50 ms without end. */
const drip =
  (beginning: string) =>
  (socket: Socket): void => {
    socket.write(beginning);
    const timer = setInterval(() => socket.write("x"), 50);
    socket.once("close", () => clearInterval(timer));
  };

const SLOW: [string, (socket: Socket) => void][] = [
  ["a server that says nothing", () => undefined],
  ["a server that never ends its headers", drip("HTTP/1.1 101 Switching Protocols\r\nX-Long: ")],
];

t.test("an upstream that is silent or slow is given up after the time for its handshake", async (t) => {
  for (const [name, onSocket] of SLOW) {
    await withServer(onSocket, async (port) => {
      const startedMs = performance.now();
      const upstream = { url: `ws://127.0.0.1:${port}/v1/realtime`, headers: {}, model: "m" };
      const connected = connectUpstream({ upstream, headers: {}, timeoutMs: LIMIT_MS });
      await t.rejects(connected, { code: "SERVICE_UNAVAILABLE" }, name);
      t.ok(performance.now() - startedMs < 3_000, name);
    });
  }
});

t.test("an api that is silent or slow is given up, for openings, reports and hangups", async (t) => {
  const answers: [string, (socket: Socket) => void][] = [
    ...SLOW,
    ["an answer without end", drip("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")],
  ];
  for (const [name, onSocket] of answers) {
    await withServer(onSocket, async (port) => {
      const client = new ApiClient({ apiUrl: `http://127.0.0.1:${port}`, livekit: LIVEKIT, timeoutMs: LIMIT_MS });
      const relay_id = crypto.randomUUID();
      const caller = { ip: "192.0.2.1", headers: {} };
      const startedMs = performance.now();
      const opened = client.openCall({ relay_id, caller, model: null, query: {}, transport: "websocket" });
      await t.rejects(opened, { code: "SERVICE_UNAVAILABLE" }, name);
      await t.rejects(client.hangUp({ caller, call_id: "x" }), { code: "SERVICE_UNAVAILABLE" }, name);
      await t.rejects(client.report({ relay_id, running: [], ended: [], is_draining: false }), Error, name);
      t.ok(performance.now() - startedMs < 6_000, name);
    });
  }
});

t.test("an answer of the api without end is not read to it", async (t) => {
  const server = createHttpServer((request, response) => {
    request.resume();
    const more = (): void =>
      void (response.write("x".repeat(65_536)) ? setImmediate(more) : response.once("drain", more));
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = new ApiClient({ apiUrl: `http://127.0.0.1:${port}`, livekit: LIVEKIT });
  await t.rejects(client.hangUp({ caller: { ip: "192.0.2.1", headers: {} }, call_id: "x" }), /starting again/);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

t.test("a client that never ends its headers, or its offer, is given up", async (t) => {
  const api = {
    openCall: () => Promise.reject(new Error("none")),
    report: async () => ({ stop: [] }),
    hangUp: async () => undefined,
  };
  const relay = new Relay({ api, logger, trustProxy: false, headersMs: LIMIT_MS });
  const port = await relay.start(0, "127.0.0.1");
  const offer =
    "POST /v1/realtime/connect HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\nContent-Length: 1000\r\n\r\nv=0";
  for (const beginning of ["GET /v1/realtime HTTP/1.1\r\nX-Long: ", offer]) {
    const startedMs = performance.now();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.resume();
    drip(beginning)(socket);
    await new Promise((resolve) => socket.once("close", resolve));
    t.ok(performance.now() - startedMs < 5_000, beginning.slice(0, 20));
  }
  await relay.close();
});

t.test("calls that keep too much in memory are ended, the largest first, and the others go on", async (t) => {
  await withRelay({ maxHeldBytes: 3 * 1024 * 1024 }, async ({ api, connect: connectClient, relay }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const small = await connectClient({ secret });
    const large = await connectClient({ secret });
    // The first of two parts of an event, which never follows.
    large.socket.send(Buffer.alloc(4 * 1024 * 1024), { fin: false });
    t.match(await large.closed, { code: 1013 });
    small.socket.send('{"type":"echo"}');
    await small.event("echo");
    await waitFor(() => relay.calls.size === 1, "one call is left");
    t.equal(small.socket.readyState, small.socket.OPEN);
  });
});
