// The worker's realtime server: who is let in, what bad clients do to it, and how it ends.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { WebSocket } from "ws";
import { type RealtimeServerTest, withRealtimeServer } from "../../helpers/servers/with-realtime-server.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.setTimeout(120_000);

// biome-ignore lint/suspicious/noExplicitAny: tests look into events freely, and a wrong shape fails them anyway
type Event = Record<string, any>;

async function open({ url, token }: RealtimeServerTest, session?: object) {
  const socket = new WebSocket(url, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(session && { "x-service-session": Buffer.from(JSON.stringify(session)).toString("base64url") }),
    },
  });
  const events: Event[] = [];
  socket.on("message", (data) => events.push(JSON.parse(String(data))));
  await once(socket, "open");
  const until = (probe: (event: Event) => boolean, what: string) => waitFor(() => events.find(probe), what);
  return { socket, events, until };
}

/** Status, headers and body of a refused handshake. */
async function refusal(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers });
  const [, response] = await once(socket, "unexpected-response");
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(String(Buffer.concat(parts))) };
}

t.test("what is wrong with a request is refused before the handshake", async (t) => {
  await withRealtimeServer({ mostSessions: 1 }, async (test) => {
    const { url, token } = test;
    const authorization = `Bearer ${token}`;
    t.match(await refusal(url), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    t.match(await refusal(url, { authorization: "Bearer wrong" }), { status: 401 });
    t.match(await refusal(url.replace("/v1/realtime", "/v2"), { authorization }), { status: 404 });
    t.match(await refusal(`${url}?voice=nobody`, { authorization }), { status: 400 });
    t.match(await refusal(`${url}?language=1`, { authorization }), { status: 400 });
    t.match(await refusal(url, { authorization, "x-service-session": "e30x" }), { status: 400 });
    t.equal((await fetch(url.replace("ws:", "http:"))).status, 426);
    const { socket } = await open(test);
    const full = await refusal(url, { authorization });
    t.match(full, { status: 503, headers: { "retry-after": "10" }, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
    socket.close();
    await waitFor(() => test.server.hasCapacity, "a free slot");
    (await open(test)).socket.close();
  });
});

t.test("bad frames get errors, and the session goes on", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const { socket, events, until } = await open(test);
    socket.send("{");
    socket.send(Buffer.from([1, 2, 3]));
    socket.send("null");
    await waitFor(() => events.filter(({ type }) => type === "error").length === 3, "three errors");
    t.match(
      events.filter(({ type }) => type === "error").map(({ error }) => error.code),
      ["invalid_json", "invalid_json", "missing_required_parameter"],
    );
    socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
    t.match(await until(({ type }) => type === "response.done", "an answer"), { response: { status: "completed" } });
    socket.close();
  });
});

t.test("a frame of more than 16 MB closes the connection", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const { socket } = await open(test);
    socket.on("error", () => undefined);
    socket.send("x".repeat(17 * 1024 * 1024));
    const [code] = await once(socket, "close");
    t.ok([1009, 1006].includes(code), String(code));
    await waitFor(() => test.server.sessionCount === 0, "the end of the session");
  });
});

t.test("ten thousand events at once, and a client that never reads, keep no one else from an answer", async (t) => {
  await withRealtimeServer({}, async (test) => {
    // Other test files have run in this process.
    const before = process.memoryUsage().rss;
    const greedy = await open(test);
    const { port } = new URL(test.url);
    const deaf = connect(Number(port), "127.0.0.1");
    deaf.on("error", () => undefined);
    deaf.write(
      "GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer ${test.token}\r\n\r\n`,
    );
    await once(deaf, "data");
    deaf.pause();
    // Small masked frames, each of which is answered with an error that is never read.
    const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
    const many = Buffer.concat(Array.from({ length: 100_000 }, () => frame));
    deaf.write(many);
    for (let count = 0; count < 10_000; count++)
      greedy.socket.send(JSON.stringify({ type: "nonsense", event_id: `${count}` }));
    const fair = await open(test);
    fair.socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
    await fair.until(({ type }) => type === "response.done", "an answer");
    await waitFor(() => greedy.events.length > 10_000, "all errors");
    t.equal(greedy.events.at(-1)?.error.event_id, "9999", "in order");
    const grownBytes = process.memoryUsage().rss - before;
    t.ok(grownBytes < 1e9, `${Math.round(grownBytes / 1e6)} MB more`);
    deaf.destroy();
    greedy.socket.close();
    fair.socket.close();
    await waitFor(() => test.server.sessionCount === 0, "the end of all sessions");
  });
});

t.test("a client that vanished without a close frame is noticed; one that answers pings stays", async (t) => {
  await withRealtimeServer({ pingMs: 100 }, async (test) => {
    const { url, token } = test;
    const gone = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, autoPong: false });
    await once(gone, "open");
    const here = await open(test);
    await once(gone, "close");
    await waitFor(() => test.server.sessionCount === 1, "the end of one session");
    t.equal(here.socket.readyState, WebSocket.OPEN);
    here.socket.close();
  });
});

t.test("in text mode the person of the header is answered in writing", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const instructions = `You are Ada. ${"Be kind. Größe zählt. ".repeat(4_000)}`;
    const session = { mode: "text", instructions, language: "en", user: "u-1" };
    const { socket, events, until } = await open(test, session);
    socket.send(JSON.stringify({ type: "user.turn", turn: 1, text: "Who are you?" }));
    t.match(await until(({ type }) => type === "response.done", "an answer"), { turn: 1, status: "completed" });
    t.equal(
      events
        .filter(({ type }) => type === "response.text.delta")
        .map(({ delta }) => delta)
        .join(""),
      "It works.",
    );
    t.match(test.chat.requests[0].body, { user: "u-1", messages: [{ content: /^You are Ada\./ }, {}] });
    socket.send(JSON.stringify({ type: "session.end" }));
    t.equal((await once(socket, "close"))[0], 1000);
  });
});

t.test("without a language model a session says that there is none", async (t) => {
  await withRealtimeServer({ hasLlm: false }, async (test) => {
    const { socket, until } = await open(test);
    socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
    const done = await until(({ type }) => type === "response.done", "an answer");
    t.match(done?.response.output[0].content[0].text, /no language model/);
    socket.close();
  });
});

t.test("a server that drains takes no one, and ends its sessions with 1013", async (t) => {
  await withRealtimeServer({}, async (test) => {
    const staying = await open(test);
    const drained = test.server.drain(50);
    t.match(await refusal(test.url, { authorization: `Bearer ${test.token}` }), { status: 503 });
    await drained;
    t.equal(staying.socket.readyState, WebSocket.OPEN);
    const closed = once(staying.socket, "close");
    await test.server.close();
    t.equal((await closed)[0], 1013);
    await test.server.close();
  });
  await withRealtimeServer({}, async (test) => {
    const leaving = await open(test);
    const drained = test.server.drain(60_000);
    await delay(20);
    leaving.socket.close();
    await drained;
  });
});
