// Events between a client and another company's realtime server pass the relay unchanged, in order and in bounded
// memory.
import { randomBytes } from "node:crypto";
import { Agent } from "node:http";
import { connect as connectPlain } from "node:net";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import t from "tap";
import type { WebSocket } from "ws";
import { withRelay } from "../helpers/service/with-relay.ts";
import { waitFor } from "../helpers/wait-for.ts";

const MIB = 1024 * 1024;

t.test("10,000 events at once arrive both ways, in order, byte for byte, text and binary", async (t) => {
  const received: Buffer[] = [];
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("message", (data, isBinary) => {
      received.push(data as Buffer);
      socket.send(data, { binary: isBinary });
    });
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const events = Array.from({ length: 10_000 }, (_, index) =>
      index % 3 === 0 ? randomBytes(index % 2000) : ` {"n":${index}, "text":"\u00fc\ud83d\ude42 \\u0041"}\n`,
    );
    for (const event of events) client.socket.send(event);
    await waitFor(() => client.events.length === events.length + 1, "the echo of all events");
    t.same(client.events.slice(1), events, "the client");
    const isSame = received.every((data, index) => data.equals(Buffer.from(events[index] as string)));
    t.ok(isSame, "the server");
  });
});

t.test("the upstream sees the operator's key and its model; useful headers and codes are passed on", async (t) => {
  const codes: [number, string][] = [];
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("close", (code, reason) => codes.push([code, reason.toString()]));
  };
  await withRelay({ onSocket }, async ({ api, upstream, connect, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const headers = { "OpenAI-Beta": "realtime=v1", "OpenAI-Project": "proj_1", "OpenAI-Organization": "org_1" };
    const client = await connect({ secret, headers, query: "?model=gpt-realtime-mini&call_id=rtc_of_another" });
    const [request] = upstream.requests;
    t.equal(request.url, "/v1/realtime?model=gpt-realtime-mini", "no other parameter: one joins another's call");
    t.match(request.headers, { authorization: "Bearer sk-cloud", "openai-beta": "realtime=v1" });
    for (const name of ["openai-project", "openai-organization", "api-secret", "sec-websocket-extensions"]) {
      t.equal(request.headers[name], undefined, name);
    }
    t.match(client.answered, {
      "x-request-id": /^[0-9a-f-]{36}$/,
      "x-service-call": /^rtc_/,
      "x-upstream-request-id": "req_cloud",
    });
    t.equal(client.answered?.["sec-websocket-extensions"], undefined, "nothing is compressed");
    client.socket.close(3001, "bye");
    await waitFor(() => codes.length === 1, "the upstream's close");
    t.same(codes, [[3001, "bye"]]);
    await charged(secret, []);
  });
});

t.test("a secret may be a Bearer token or a protocol, which is not repeated", async (t) => {
  await withRelay({}, async ({ api, connect, upstream }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const bearer = await connect({ headers: { authorization: `Bearer ${secret}` } });
    t.equal(bearer.answered?.["sec-websocket-protocol"], undefined);
    const protocols = ["realtime", `openai-insecure-api-key.${secret}`, "openai-beta.realtime-v1"];
    const browser = await connect({ protocols });
    t.equal(browser.socket.protocol, "realtime");
    t.match(upstream.requests[1].headers, { "openai-beta": "realtime=v1", authorization: "Bearer sk-cloud" });
    t.equal(upstream.requests[1].headers["sec-websocket-protocol"], undefined);
  });
});

t.test("OpenAI's own client works with the base URL alone", async (t) => {
  await withRelay({}, async ({ api, url }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = new OpenAI({ apiKey: secret, baseURL: url.replace(/^ws/, "http").replace(/\/realtime$/, "") });
    // It always speaks TLS, which a proxy takes off.
    const agent = Object.assign(new Agent(), {
      protocol: "https:",
      createConnection: () => connectPlain(Number(new URL(url).port), "127.0.0.1"),
    });
    const realtime = new OpenAIRealtimeWS({ model: "gpt-realtime-mini", options: { agent } }, client);
    const arrived: string[] = [];
    realtime.on("event", ({ type }) => arrived.push(type));
    realtime.on("error", (error) => t.fail(error.message));
    await waitFor(() => arrived.includes("session.created"), "session.created");
    realtime.send({ type: "response.create" });
    await waitFor(() => arrived.includes("response.create" as never), "the echo");
    realtime.close();
  });
});

t.test("only a changed model is kept back, with an error event; the call goes on", async (t) => {
  await withRelay({}, async ({ api, connect, upstream }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const seen: string[] = [];
    upstream.sockets[0].on("message", (data) => seen.push(data.toString()));
    const update = (model: string) => `{"type":"session.update","event_id":"e1","session":{"model":"${model}"}}`;
    const binary = Buffer.from(update("binary"));
    for (const event of [update("other"), update("gpt-realtime-mini"), binary, "not JSON", '{"type":"end"}']) {
      client.socket.send(event);
    }
    await client.event("end");
    t.same(seen, [update("gpt-realtime-mini"), "not JSON", '{"type":"end"}']);
    t.match(await client.event("error"), {
      type: "error",
      event_id: /^event_/,
      error: { type: "invalid_request_error", code: "MODEL_LOCKED", event_id: "e1" },
    });
    t.equal(client.events.filter((event) => event.includes("MODEL_LOCKED")).length, 2, "binary ones too");
    t.equal(client.socket.readyState, client.socket.OPEN);
  });
});

t.test("an event may have 16 MiB, both ways; one more byte ends the call with 1009", async (t) => {
  const codes: number[] = [];
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("close", (code) => codes.push(code));
    socket.on("message", (data, isBinary) => {
      const text = isBinary ? "" : data.toString();
      if (text === "too much") socket.send(Buffer.alloc(16 * MIB + 1));
      else socket.send(data, { binary: isBinary });
    });
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const largest = Buffer.alloc(16 * MIB, 65);
    client.socket.send(largest);
    await waitFor(() => client.events.length === 2, "the largest event");
    t.ok(largest.equals(client.events[1] as Buffer));
    client.socket.send(Buffer.alloc(16 * MIB + 1));
    t.equal((await client.closed).code, 1009);
    await waitFor(() => codes.length === 1, "the upstream's close");
    t.equal(codes[0], 1009);
    const other = await connect({ secret });
    other.socket.send("too much");
    t.equal((await other.closed).code, 1009);
  });
});

t.test("a client that never reads makes the upstream wait, and the other way around", async (t) => {
  const upstreamSide: { sent: number; socket?: WebSocket } = { sent: 0 };
  const chunk = Buffer.alloc(MIB, 66);
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    upstreamSide.socket = socket;
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    const server = upstreamSide.socket as WebSocket;
    for (const [from, to] of [
      [server, client.socket],
      [client.socket, server],
    ]) {
      to.pause();
      const beforeBytes = process.memoryUsage().arrayBuffers;
      for (let index = 0; index < 100; index++) from.send(chunk);
      // What the sender could not hand over stays with the sender.
      let lastBytes = -1;
      await waitFor(async () => {
        const isStill = from.bufferedAmount === lastBytes;
        lastBytes = from.bufferedAmount;
        await new Promise((resolve) => setTimeout(resolve, 300));
        return isStill;
      }, "the sender to wait");
      t.ok(from.bufferedAmount > 70 * MIB, `${Math.round(from.bufferedAmount / MIB)} MiB of 100 wait at the sender`);
      const heldBytes = process.memoryUsage().arrayBuffers - beforeBytes - from.bufferedAmount;
      t.ok(heldBytes < 60 * MIB, `${Math.round(heldBytes / MIB)} MiB are elsewhere`);
      let arrived = 0;
      to.on("message", (data) => {
        arrived += (data as Buffer).length;
      });
      to.resume();
      await waitFor(() => arrived === 100 * MIB, "all events");
    }
  });
});

t.test("what an upstream sends with its handshake is not lost, and garbage ends the call alone", async (t) => {
  const onSocket = (socket: WebSocket) => {
    for (let index = 0; index < 100; index++) socket.send(`{"type":"early","n":${index}}`);
    socket.send('{"type":"session.created"}');
    socket.on("message", () => {
      const raw = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
      raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x00, 0x01]));
    });
  };
  await withRelay({ onSocket }, async ({ api, connect }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const bystander = await connect({ secret });
    const client = await connect({ secret });
    t.equal(client.events.length, 101);
    client.socket.send("go");
    t.same(await client.closed, { code: 1011, reason: "The connection to the model was lost" });
    t.equal(bystander.socket.readyState, bystander.socket.OPEN);
    const { socket } = await connect({ secret });
    const raw = (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket;
    raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x00, 0x01]));
    await new Promise((resolve) => socket.once("close", resolve));
    t.equal(bystander.socket.readyState, bystander.socket.OPEN, "a client's garbage too");
  });
});
