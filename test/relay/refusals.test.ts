// A call that cannot be had is refused before the handshake, in the service's envelope.
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import t from "tap";
import { type RelayStage, type WithRelayOptions, withRelay } from "../helpers/service/with-relay.ts";
import { waitFor } from "../helpers/wait-for.ts";

t.test("refusals carry the contract's status, code, links and headers", async (t) => {
  const upstreams = [{ name: "large", base_url: "http://127.0.0.1:9/v1", plan: "business" }];
  await withRelay({ upstreams }, async ({ api, refused, upstream }) => {
    const { secret } = await api.addAccount({ credits: 10 });
    const poor = await api.addAccount();
    const cases: [object, number, string, object?][] = [
      [{}, 401, "MISSING_AUTH"],
      [{ secret: "wrong" }, 401, "UNAUTHORIZED"],
      [{ protocols: ["realtime", "openai-insecure-api-key.wrong"] }, 401, "UNAUTHORIZED"],
      [{ secret, query: "?model=unknown" }, 400, "VALIDATION_ERROR"],
      [{ secret, query: "?model=large" }, 403, "PLAN_REQUIRED", { upgrade_url: /^http/ }],
      [{ secret: poor.secret }, 402, "INSUFFICIENT_BALANCE", { topup_url: /^http/ }],
      [{ secret, query: "?model=service-realtime" }, 503, "SERVICE_UNAVAILABLE"],
    ];
    for (const [options, status, code, extra] of cases) {
      const { status: answered, headers, body } = await refused(options);
      const error = { code, httpStatus: status, message: /\w/, ...extra };
      t.match({ answered, body }, { answered: status, body: { error, status: "error", status_code: status } }, code);
      t.match(headers, { "x-request-id": /^[0-9a-f-]{36}$/, "content-type": /^application\/json/ }, code);
      if (status === 503) t.match(headers["retry-after"], /^\d+$/);
    }
    t.equal(upstream.requests.length, 0, "no upstream was bothered");
  });
});

/** A client with credits, and what follows if the upstream behaves so. */
async function refusedBy(options: WithRelayOptions, work: (stage: RelayStage, secret: string) => Promise<void>) {
  await withRelay(options, async (stage) => {
    const { secret } = await stage.api.addAccount({ credits: 10 });
    await work(stage, secret);
    await waitFor(async () => {
      const calls = await stage.api.services.database.selectFrom("realtime_calls").selectAll().execute();
      return calls.length === 0;
    }, "no call to be left");
    await stage.charged(secret, []);
  });
}

t.test("an upstream that refuses, stalls or is not there is a 503 that never shows its words", async (t) => {
  const answers = (status: string) => ({
    onUpgrade(_: unknown, socket: Duplex) {
      socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 8\r\n\r\nsk-cloud`);
      return true;
    },
  });
  const faults: Record<string, WithRelayOptions> = {
    "a wrong key": answers("401 Wrong key sk-cloud"),
    "a redirect": answers("302 Found\r\nLocation: http://127.0.0.1:9/"),
    "an answer that is not HTTP": {
      onUpgrade(_, socket) {
        socket.end("sk-cloud\r\n\r\n");
        return true;
      },
    },
    "no answer": { onUpgrade: () => true, connectMs: 200 },
    "no server": { baseUrl: "http://127.0.0.1:9/v1" },
  };
  for (const [name, options] of Object.entries(faults)) {
    await refusedBy(options, async ({ refused }, secret) => {
      const { status, headers, body } = await refused({ secret });
      t.match({ status, body }, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } }, name);
      t.match(headers["retry-after"], /^\d+$/, name);
      t.notMatch(JSON.stringify([headers, body]), /sk-cloud/, name);
    });
  }
});

t.test("a client that leaves during the handshake costs nothing and leaves nothing behind", async (t) => {
  const held: (() => void)[] = [];
  const options: WithRelayOptions = {
    onUpgrade: (_, socket) => {
      held.push(() => socket.end("HTTP/1.1 503 No\r\n\r\n"));
      return true;
    },
  };
  await refusedBy(options, async ({ open, relay }, secret) => {
    const { socket } = open({ secret });
    await waitFor(() => held.length === 1, "the upstream's handshake");
    socket.terminate();
    held[0]();
    await waitFor(() => relay.calls.size === 0, "no call");
  });
  t.equal(held.length, 1);
});

t.test("requests that open no WebSocket are answered in the envelope, and broken ones end alone", async (t) => {
  await withRelay({}, async ({ api, url, connect: connectClient }) => {
    const { secret } = await api.addAccount({ credits: 10 });
    const base = url.replace(/^ws/, "http").replace(/\/v1\/realtime$/, "");
    const get = async (path: string, init?: RequestInit) => {
      const answer = await fetch(base + path, init);
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
    };
    const plain = await get("/v1/realtime");
    t.match(plain, {
      status: 400,
      body: { error: { code: "VALIDATION_ERROR", httpStatus: 400, message: /WebSocket/ } },
    });
    t.match(await get("/v1/other"), { status: 404, body: { error: { code: "NOT_FOUND" } } });
    t.match(await get("/v1/realtime", { method: "PUT", body: "x".repeat(1e6) }), { status: 404 });
    t.match(await get("/ready"), { status: 200, body: { status: "ok", calls: 0 } });
    const client = await connectClient({ secret });
    client.socket.close();
    await client.closed;
    const { body } = await get("/metrics");
    t.match(body, /avatar_relay_calls_ended_total\{model="gpt-realtime-mini",reason="client_closed"\} 1/);
    t.equal((await get("/metrics", { headers: { "x-forwarded-for": "192.0.2.1" } })).status, 404);

    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text));
        let answer = "";
        socket.on("data", (chunk) => {
          answer += chunk;
        });
        socket.on("error", () => resolve(answer));
        socket.on("close", () => resolve(answer));
      });
    const upgrade = (headers: string, path = "/v1/realtime") =>
      raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n\r\n`);
    t.match(await upgrade("Sec-WebSocket-Version: 13"), /^HTTP\/1.1 400 .*Sec-WebSocket-Key/s);
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    t.match(await upgrade(`${key}\r\nSec-WebSocket-Version: 7`), /^HTTP\/1.1 426 .*Sec-WebSocket-Version: 13/s);
    t.match(await upgrade(`${key}\r\nSec-WebSocket-Version: 13`, "//["), /^HTTP\/1.1 40[04] /);
    t.match(await upgrade(`${key}\r\nSec-WebSocket-Version: 13`, "/v1/else"), /^HTTP\/1.1 404 .*NOT_FOUND/s);
    await raw("\0\0\0\0 nonsense\r\n\r\n");
    t.equal((await get("/ready")).status, 200);
  });
});

t.test("calls are counted for the client's address; a proxy names it only if it is trusted", async (t) => {
  for (const [trustProxy, address] of [
    [false, "127.0.0.1"],
    [true, "198.51.100.7"],
  ] as const) {
    await withRelay({ trustProxy }, async ({ api, refused }) => {
      const { secret } = await api.addAccount({ credits: 10 });
      const headers = { "x-forwarded-for": "203.0.113.9, 198.51.100.7" };
      const attempt = () => refused({ secret, headers, query: "?model=unknown" });
      t.equal((await attempt()).status, 400);
      const buckets = await api.services.database.selectFrom("rate_buckets").select("key").execute();
      t.ok(
        buckets.some(({ key }) => key === `address:${address}`),
        address,
      );
      if (!trustProxy) return;
      api.clock.hold();
      for (let index = 0; index < 120; index++) await attempt();
      const over = await attempt();
      t.match(over, { status: 429, body: { error: { code: "RATE_LIMITED" } } });
      t.match(over.headers, { "retry-after": /^\d+$/ });
    });
  }
});
