// The connection to an account's realtime server: the address guard, the key, and servers that misbehave. One test is a
// whole turn with our own realtime server at the other end.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { type WebSocket, WebSocketServer } from "ws";
import { connectProvider } from "../../../agent-worker/providers/provider-realtime.ts";
import type { ConnectRealtime } from "../../../agent-worker/providers/realtime-link.ts";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { readWav } from "../../../src/signal/audio/wav.ts";
import { ScriptedRemote } from "../../helpers/servers/scripted-remote.ts";
import { withRealtimeServer } from "../../helpers/servers/with-realtime-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.setTimeout(120_000);

const open = createAddressGuard({ allowPrivate: true });
const { samples: weather } = readWav(readFileSync(new URL("../../fixtures/speech/weather-en.wav", import.meta.url)));

/** Connects, and resolves with what is told when the connection is closed. */
function closing(connect: ConnectRealtime): Promise<{ error: unknown; events: unknown[] }> {
  const events: unknown[] = [];
  return new Promise((resolve, reject) => {
    try {
      connect({ onEvent: (event) => events.push(event), onClosed: (error) => resolve({ error, events }) });
    } catch (error) {
      reject(error);
    }
  });
}

async function withCloud(
  onSocket: (socket: WebSocket, request: IncomingMessage) => void,
  work: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const cloud = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  cloud.on("connection", onSocket);
  await once(cloud, "listening");
  try {
    await work(`http://127.0.0.1:${(cloud.address() as AddressInfo).port}/v1/`);
  } finally {
    for (const socket of cloud.clients) socket.terminate();
    await new Promise((resolve) => cloud.close(resolve));
  }
}

t.test("a private address is refused, as a literal and as a name", async (t) => {
  const guard = createAddressGuard({ resolveHost: async () => [{ address: "10.0.0.7", family: 4 }] });
  const to = (base_url: string) => closing(connectProvider(guard, { base_url, model: "m" }));
  await t.rejects(to("http://127.0.0.1:9/v1"), /private address/);
  await t.rejects(to("http://[::1]:9/v1"), /private address/);
  const { error } = await to("https://realtime.example/v1");
  t.match(error, { message: /private address/ });
});

t.test("model and key are sent; what is no event is ignored", async (t) => {
  const requests: IncomingMessage[] = [];
  await withCloud(
    (socket, request) => {
      requests.push(request);
      socket.send("no json");
      socket.send(Buffer.from([1, 2]));
      socket.send('{"type":"session.created"}');
      socket.on("message", () => socket.close(1011));
    },
    async (base_url) => {
      const events: unknown[] = [];
      const closed = new Promise<unknown>((onClosed) => {
        const link = connectProvider(open, { base_url, api_key: "sk-1", model: "gpt-realtime" })({
          onEvent: (event) => {
            events.push(event);
            link.send({ type: "session.update" });
          },
          onClosed,
        });
        link.send({ type: "too.early" });
      });
      t.match(await closed, { message: /1011/ });
      t.same(events, [{ type: "session.created" }]);
      t.equal(requests[0].url, "/v1/realtime?model=gpt-realtime");
      t.equal(requests[0].headers.authorization, "Bearer sk-1");
    },
  );
});

t.test("redirects, refusals and servers that do not answer are faults", { timeout: 60_000 }, async (t) => {
  let stolen = 0;
  const thief = createServer(() => {
    stolen += 1;
  }).listen(0, "127.0.0.1");
  await once(thief, "listening");
  const target = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/v1/realtime`;
  const server = createServer((_, response) => response.writeHead(401).end());
  server.on("upgrade", ({ url = "" }, socket) => {
    if (url.startsWith("/moved")) socket.end(`HTTP/1.1 302 Found\r\nLocation: ${target}\r\n\r\n`);
    else if (url.startsWith("/denied")) socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ["moved", "denied", "silent"]) {
    const { error } = await closing(connectProvider(open, { base_url: `${base}/${path}`, api_key: "sk", model: "m" }));
    t.type(error, Error, path);
    t.notMatch(String(error), /sk\b/);
  }
  t.equal(stolen, 0, "the key goes nowhere else");
  for (const http of [server, thief]) {
    http.closeAllConnections();
    http.close();
  }
});

t.test("our own realtime server leads a whole turn", async (t) => {
  await withRealtimeServer({}, async ({ baseUrl, token, chat }) => {
    const connect = connectProvider(open, { base_url: baseUrl, api_key: token, model: "service-realtime" });
    const remote = new ScriptedRemote({ connect, voice: "M1" });
    remote.leader.greet("Welcome!");
    await waitFor(() => remote.last?.isComplete, "the greeting");
    remote.last?.finish();
    await waitFor(() => remote.states.at(-1) === "listening", "the floor is free");
    for (const samples of [weather, new Int16Array(16_000)]) {
      for (let at = 0; at < samples.length; at += 320) remote.leader.pushAudio(samples.slice(at, at + 320));
    }
    await waitFor(() => remote.utterances.length === 2 && remote.last?.isComplete, "the answer", 60_000);
    t.ok((remote.last?.madeMs ?? 0) > 300);
    t.same(remote.last?.captions, ["0 It works."]);
    remote.last?.pushAudio(100);
    remote.leader.type("And now?");
    await waitFor(() => remote.utterances.length === 3 && remote.last?.isComplete, "another answer");
    remote.last?.finish();
    await waitFor(() => remote.messages.length >= 4, "all messages");
    t.match(remote.transcript, [
      "assistant: It works.",
      "user: The weather will stay warm and sunny for several days.",
      "user: And now?",
      "assistant: It works.",
    ]);
    t.match(chat.requests.at(-1)?.body.messages.at(-1), { role: "user", content: /And now\?$/ });
    t.equal(remote.failed, undefined);
    await remote.leader.close();
  });
});
