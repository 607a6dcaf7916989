// How realtime calls end, what their clients are told, and what they cost.
import { request } from "node:http";
import t from "tap";
import type { WebSocket } from "ws";
import { createLogger } from "../../program/log.ts";
import { ApiClient } from "../../relay/api-client.ts";
import { Relay } from "../../relay/relay.ts";
import { startApiProcess } from "../helpers/service/api-process.ts";
import { withRelay } from "../helpers/service/with-relay.ts";
import { waitFor } from "../helpers/wait-for.ts";

const MINUTE_MS = 60_000;

t.test("an upstream's close reaches the client with its code and reason, in the middle of an answer too", async (t) => {
  const onSocket = (socket: WebSocket) => {
    socket.send('{"type":"session.created"}');
    socket.on("message", (data) => {
      socket.send('{"type":"response.created"}');
      socket.send('{"type":"last"}');
      const [code, reason] = data.toString().split(" ");
      if (code === "die") socket.terminate();
      else if (code === "none") socket.close();
      else socket.close(Number(code), reason);
    });
  };
  await withRelay({ onSocket }, async ({ api, connect, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const ends: [string, number, string][] = [
      ["4008 busy", 4008, "busy"],
      ["1001 away", 1001, "away"],
      ["none", 1005, ""],
      ["die", 1011, "The connection to the model was lost"],
    ];
    for (const [command, code, reason] of ends) {
      const client = await connect({ secret });
      client.socket.send(command);
      t.same(await client.closed, { code, reason }, command);
      if (command !== "die") t.equal(client.events.at(-1), '{"type":"last"}', command);
    }
    const billed = await connect({ secret });
    advance(MINUTE_MS);
    billed.socket.send("1000 done");
    await billed.closed;
    await charged(secret, [10]);
  });
});

t.test("a client that hangs up is billed to the second", async (t) => {
  await withRelay({}, async ({ api, connect, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const client = await connect({ secret });
    advance(1.5 * MINUTE_MS);
    client.socket.close(1000);
    await client.closed;
    await charged(secret, [15]);
    const next = await connect({ secret });
    advance(2 * MINUTE_MS);
    next.socket.terminate();
    await charged(secret, [20, 15]);
    t.pass();
  });
});

t.test("4402: the balance is used up in the middle of a call", async (t) => {
  await withRelay({}, async ({ api, connect, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 5 });
    const client = await connect({ secret });
    const bystander = await connect({ secret: (await api.addAccount({ credits: 50 })).secret });
    advance(31_000);
    t.match(await client.closed, { code: 4402 });
    t.equal(bystander.socket.readyState, bystander.socket.OPEN);
    await charged(secret, [5]);
  });
});

t.test("calls at once end with the credits, and spend no more than there are", async (t) => {
  await withRelay({}, async ({ api, connect, advance, relay }) => {
    const { secret } = await api.addAccount({ credits: 5 });
    const clients = [];
    for (let count = 0; count < 5; count++) clients.push(await connect({ secret }));
    advance(2_000);
    await waitFor(() => relay.calls.size === 5, "a report");
    await new Promise((resolve) => setTimeout(resolve, 500));
    advance(MINUTE_MS);
    for (const { closed } of clients) t.match(await closed, { code: 4402 });
    const balance = async () => (await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance;
    await waitFor(async () => (await api.call("GET", "/v1/usage", { secret })).body.data.length === 5, "the charges");
    t.equal(await balance(), 0, "not below zero");
  });
});

t.test("4408: a call lasts an hour", async (t) => {
  await withRelay({}, async ({ api, connect, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 10_000 });
    const client = await connect({ secret });
    advance(59 * MINUTE_MS);
    await new Promise((resolve) => setTimeout(resolve, 700));
    t.equal(client.socket.readyState, client.socket.OPEN);
    advance(MINUTE_MS);
    t.match(await client.closed, { code: 4408 });
    await charged(secret, [600]);
  });
});

t.test("4401: the secret is revoked, or the account suspended, during a call", async (t) => {
  await withRelay({}, async ({ api, connect }) => {
    const { database } = api.services;
    const revoked = await api.addAccount({ credits: 50 });
    const suspended = await api.addAccount({ credits: 50 });
    const calls = [await connect({ secret: revoked.secret }), await connect({ secret: suspended.secret })];
    const where = (userId: string) => ["user_id", "=", userId] as const;
    await database
      .updateTable("api_secrets")
      .set({ revoked_at: new Date() })
      .where(...where(revoked.account.userId))
      .execute();
    await database
      .updateTable("accounts")
      .set({ status: "suspended" })
      .where(...where(suspended.account.userId))
      .execute();
    for (const { closed } of calls) t.match(await closed, { code: 4401 });
  });
});

t.test("1013: a draining relay refuses new calls and ends the running ones", async (t) => {
  await withRelay({}, async ({ api, connect, refused, relay, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 50 });
    const client = await connect({ secret });
    advance(12_000);
    const drained = relay.drain(MINUTE_MS);
    t.match(await refused({ secret }), { status: 503, headers: { "retry-after": /^\d+$/ } });
    t.equal(client.socket.readyState, client.socket.OPEN, "running calls may go on for a time");
    await relay.close();
    await drained;
    t.match(await client.closed, { code: 1013 });
    await charged(secret, [2]);
  });
});

t.test("a call is hung up through any relay, by its caller alone", async (t) => {
  await withRelay({}, async ({ api, connect, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 50 });
    const stranger = await api.addAccount({ credits: 50 });
    const client = await connect({ secret });
    const call = String(client.answered?.["x-service-call"]);
    const other = new ApiClient({ apiUrl: api.baseUrl, livekit: api.services.livekit });
    const hangUp = (by: string) =>
      other.hangUp({ caller: { ip: "192.0.2.1", headers: { "api-secret": by } }, call_id: call });
    await t.rejects(hangUp(stranger.secret), { name: "HttpRefusal", status: 404 });
    advance(18_000);
    await hangUp(secret);
    t.match(await client.closed, { code: 1000, reason: "The call was hung up" });
    await charged(secret, [3]);
    await hangUp(secret);
    await t.rejects(hangUp(stranger.secret), { name: "HttpRefusal", status: 404 });
  });
});

t.test("a call goes on while the api restarts, and is billed once and exactly", { timeout: 600_000 }, async (t) => {
  await withRelay({}, async ({ api, upstream, charged }) => {
    // A second api on the same database, as a process that can be killed.
    const { secret } = await api.addAccount({ credits: 100 });
    const { apiKey, apiSecret } = api.services.livekit as { apiKey: string; apiSecret: string };
    const options = {
      databaseUrl: String(api.services.pool.options.connectionString),
      dataDir: api.services.config.disk.dataDir,
      environment: {
        LIVEKIT_API_KEY: apiKey,
        LIVEKIT_API_SECRET: apiSecret,
        AVATAR_REALTIME_UPSTREAMS: JSON.stringify([{ name: "gpt-realtime-mini", base_url: upstream.baseUrl }]),
      },
    };
    const first = await startApiProcess(options);
    const client = new ApiClient({ apiUrl: first.baseUrl, livekit: { apiKey, apiSecret } });
    let nowMs = 0;
    const relay = new Relay({
      api: client,
      logger: createLogger({ level: "silent", name: "relay" }),
      trustProxy: false,
      now: () => nowMs,
      reportMs: 100,
    });
    const port = await relay.start(0, "127.0.0.1");
    const { WebSocket: Client } = await import("ws");
    const socket = new Client(`ws://127.0.0.1:${port}/v1/realtime`, { headers: { "api-secret": secret } });
    const echoed: string[] = [];
    socket.on("message", (data) => echoed.push(data.toString()));
    await waitFor(() => echoed.length === 1, "session.created");
    await first.kill();
    nowMs += MINUTE_MS;
    socket.send("still there");
    await waitFor(() => echoed.includes("still there"), "the echo without an api");
    const refusal = await new Promise<number | undefined>((resolve, reject) => {
      const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
      const headers = { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "api-secret": secret };
      const asked = request({ port, path: "/v1/realtime", headers }, ({ statusCode }) => resolve(statusCode));
      asked.once("error", reject).end();
    });
    t.equal(refusal, 503, "a new call has to wait");
    const second = await startApiProcess({ ...options, port: Number(new URL(first.baseUrl).port) });
    socket.send("after the restart");
    await waitFor(() => echoed.includes("after the restart"), "the echo after the restart");
    nowMs += MINUTE_MS;
    socket.close(1000);
    await charged(secret, [20]);
    await relay.close();
    await second.close();
  });
});
