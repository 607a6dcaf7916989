// Calls over WebRTC: a real peer, a real relay and api, and a realtime server of another company behind them.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import t from "tap";
import type { WebSocket } from "ws";
import { forkModule } from "../../helpers/processes/fork-module.ts";
import { WrtcCaller } from "../../helpers/rooms/wrtc-caller.ts";
import { withRelay } from "../../helpers/service/with-relay.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const RATE_HZ = 24_000;
const TONE_HZ = 440;

/** What the upstream was sent, without its audio; and its audio. */
class Upstream {
  readonly events: { type: string; [field: string]: unknown }[] = [];
  readonly heard: Int16Array[] = [];
  /** When its first loud sample arrived, ms of `performance.now`. */
  loudAtMs = 0;
  socket: WebSocket | undefined;

  take = (socket: WebSocket): void => {
    this.socket = socket;
    socket.on("message", (data) => {
      const event = JSON.parse(data.toString());
      if (event.type !== "input_audio_buffer.append") {
        this.events.push(event);
        return;
      }
      const bytes = Buffer.from(event.audio, "base64");
      const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
      this.heard.push(samples);
      if (this.loudAtMs === 0 && samples.some((sample) => Math.abs(sample) > 2_000)) this.loudAtMs = performance.now();
    });
    this.send({ type: "session.created", session: { type: "realtime" } });
  };

  send(event: object): void {
    this.socket?.send(JSON.stringify(event));
  }

  /** Says a tone, all of it at once, as models do. */
  say(responseId: string, ms: number): void {
    const samples = new Int16Array((RATE_HZ * ms) / 1000).map(
      (_, index) => 8_000 * Math.sin((index * 2 * Math.PI * TONE_HZ) / RATE_HZ),
    );
    const delta = Buffer.from(samples.buffer).toString("base64");
    const part = { response_id: responseId, item_id: `item-${responseId}`, content_index: 0 };
    this.send({ type: "response.created", response: { id: responseId } });
    this.send({ type: "response.output_audio.delta", ...part, delta });
    this.send({ type: "response.done", response: { id: responseId, status: "completed" } });
  }
}

t.test("a call over WebRTC", async (t) => {
  const upstream = new Upstream();
  await withRelay({ onSocket: upstream.take }, async ({ api, url, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const caller = new WrtcCaller({ url: `${connectUrl}?model=gpt-realtime-mini`, headers: { "api-secret": secret } });
    try {
      await t.test("connects, with its id, and pages of other sites may read it", async (t) => {
        const answer = await caller.connect();
        t.equal(answer.status, 201);
        t.match(answer.headers.get("content-type"), /^application\/sdp/);
        t.match(answer.headers.get("x-service-call"), /\w{8}/);
        t.equal(answer.headers.get("access-control-allow-origin"), "*");
        t.match(answer.headers.get("access-control-expose-headers"), /X-Service-Call/);
        await caller.event("session.created");
      });

      await t.test("the microphone reaches the upstream as events, in time", async (t) => {
        await waitFor(() => upstream.heard.length > 20, "the microphone");
        const spokenMs = caller.speak();
        await waitFor(() => upstream.loudAtMs > 0, "the tone");
        // 50 ms on a quiet machine; `npm run bench -- realtime webrtc` measures it.
        t.ok(upstream.loudAtMs - spokenMs < 1_000, `${Math.round(upstream.loudAtMs - spokenMs)} ms`);
        const seconds = upstream.heard.flatMap((part) => [...part]).length / RATE_HZ;
        t.ok(seconds > 0.3, `${seconds} s`);
        caller.hush();
      });

      await t.test("the answer is heard in real time, and its audio is in no event", async (t) => {
        upstream.say("r1", 1_000);
        await caller.event("output_audio_buffer.stopped");
        t.ok(caller.loudMs > 800 && caller.loudMs < 1_200, `${caller.loudMs} ms`);
        const types = caller.events.map(({ type }) => type);
        t.notOk(types.includes("response.output_audio.delta"));
        t.ok(types.indexOf("output_audio_buffer.started") > types.indexOf("response.created"));
        t.ok(types.includes("response.done"));
      });

      await t.test("who speaks up is not talked over, and the upstream knows what was heard", async (t) => {
        upstream.say("r2", 20_000);
        await waitFor(() => caller.count("output_audio_buffer.started") === 2, "it speaks");
        const startMs = performance.now();
        const loudBeforeMs = caller.loudMs;
        await waitFor(() => caller.loudMs >= loudBeforeMs + 500, "half a second is heard");
        const playedMs = performance.now() - startMs;
        upstream.send({ type: "input_audio_buffer.speech_started", item_id: "x" });
        const truncated = await waitFor(
          () => upstream.events.find(({ type }) => type === "conversation.item.truncate"),
          "the upstream is told",
        );
        t.match(truncated, { item_id: "item-r2", content_index: 0 });
        t.ok(Math.abs(Number(truncated.audio_end_ms) - playedMs - 50) < 300, `${truncated.audio_end_ms} ms`);
        t.match(await caller.event("output_audio_buffer.cleared"), { response_id: "r2" });
      });

      await t.test(
        "the caller's events pass, one that stops the audio does not, and the model is locked",
        async (t) => {
          caller.send({ type: "response.create", event_id: "mine" });
          caller.send({ type: "output_audio_buffer.clear" });
          caller.send({ type: "session.update", event_id: "change", session: { model: "gpt-5" } });
          const locked = await caller.event("error");
          t.match(locked, { error: { code: "MODEL_LOCKED", event_id: "change" } });
          await waitFor(() => upstream.events.some(({ event_id: id }) => id === "mine"), "the event");
          t.notOk(
            upstream.events.some(({ type }) => type === "output_audio_buffer.clear" || type === "session.update"),
          );
        },
      );

      await t.test("a hangup ends it, again and again, and strangers get 404", async (t) => {
        advance(30_000);
        const hangUp = (headers: Record<string, string>, call = caller.callId) =>
          fetch(connectUrl, {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify({ action: "hangup", call }),
          });
        const stranger = await api.addAccount({ credits: 100 });
        t.equal((await hangUp({ "api-secret": stranger.secret })).status, 404);
        t.equal((await hangUp({})).status, 401);
        t.equal((await hangUp({ "api-secret": secret }, "call_none")).status, 404);
        for (let count = 0; count < 3; count++) {
          const answer = await hangUp({ authorization: `Bearer ${secret}` });
          t.match([answer.status, await answer.json()], [200, { success: true, call: caller.callId }]);
        }
        await caller.closed;
        await charged(secret, [5]);
      });
    } finally {
      caller.close();
    }
  });
});

t.test("unusable offers and bodies are refused in words, and preflights are answered", async (t) => {
  await withRelay({}, async ({ api, url, upstream }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const post = async (body: string | undefined, type: string, headers = { "api-secret": secret }) => {
      const answer = await fetch(connectUrl, { method: "POST", body, headers: { ...headers, "content-type": type } });
      t.equal(answer.headers.get("access-control-allow-origin"), "*", "pages can read refusals");
      return [answer.status, (await answer.json()).error.code];
    };
    t.same(await post("hello", "application/sdp"), [400, "VALIDATION_ERROR"]);
    t.same(await post(undefined, "application/sdp"), [400, "VALIDATION_ERROR"]);
    t.same(await post("v=0\r\n".repeat(20_000), "application/sdp"), [413, "FILE_TOO_LARGE"]);
    t.same(await post("{}", "application/json"), [400, "VALIDATION_ERROR"]);
    t.same(await post("{", "application/json"), [400, "VALIDATION_ERROR"]);
    t.equal((await post("v=0", "text/plain"))[1], "UNSUPPORTED_TYPE");
    const broken = `v=0\r\ns=-\r\nm=audio x y z\r\na=ice-ufrag:a\r\na=fingerprint:b\r\n`;
    t.same(await post(broken, "application/sdp"), [400, "VALIDATION_ERROR"]);
    t.equal(upstream.sockets.length, 1, "only the last one got so far");
    await waitFor(() => upstream.sockets[0].readyState === upstream.sockets[0].CLOSED, "its upstream is closed again");
    const caller = new WrtcCaller({ url: connectUrl, headers: {} });
    t.equal((await caller.connect()).status, 401);
    caller.close();
    const preflight = await fetch(connectUrl, {
      method: "OPTIONS",
      headers: { origin: "https://site.example", "access-control-request-method": "POST" },
    });
    t.equal(preflight.status, 204);
    t.match(preflight.headers.get("access-control-allow-headers"), /api-secret, content-type/);
    t.equal((await fetch(connectUrl)).status, 404);
  });
});

t.test("a body that is too large does not spoil the connection's next request", async (t) => {
  await withRelay({}, async ({ api, url }) => {
    const { secret } = await api.addAccount();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const post = (type: string, body: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { "api-secret": secret, "content-type": type, "content-length": body.length };
        const options = { method: "POST", agent, headers, timeout: 3_000 };
        const sent = request(`${url.replace(/^ws/, "http")}/connect`, options, (answer) => {
          answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
        });
        sent.once("timeout", () => sent.destroy(new Error("no answer"))).once("error", reject);
        sent.end(body);
      });
    const hangup = JSON.stringify({ action: "hangup", call: "rtc_x" });
    t.equal(await post("application/sdp", "a".repeat(300_000)), 413);
    t.equal(await post("application/json", hangup), 404);
    t.equal(await post("text/plain", "a".repeat(300_000)), 415);
    t.equal(await post("application/json", hangup), 404);
    agent.destroy();
  });
});

t.test("a body that breaks off is no fault of the relay's", async (t) => {
  await withRelay({}, async ({ relay, url }) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const type = "Content-Type: application/sdp\r\nContent-Length: 100";
    socket.end(`POST /v1/realtime/connect HTTP/1.1\r\nHost: relay\r\n${type}\r\n\r\nv=0`);
    const refusals = async () =>
      (await relay.metrics.registry.getSingleMetric("avatar_relay_refused_total")?.get())?.values;
    const [refusal] = await waitFor(async () => {
      const values = await refusals();
      return values?.length ? values : undefined;
    }, "a refusal");
    t.equal(refusal.labels.status, "400");
    socket.destroy();
  });
});

t.test("clients of OpenAI's own server find the paths that they know", async (t) => {
  const upstream = new Upstream();
  await withRelay({ onSocket: upstream.take }, async ({ api, url, relay }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const base = url.replace(/^ws/, "http");
    const headers = { authorization: `Bearer ${secret}` };
    const caller = new WrtcCaller({
      url: `${base}/calls`,
      headers,
      form: { model: "gpt-realtime-mini", tracing: null },
    });
    t.equal((await caller.connect()).status, 201);
    await caller.event("session.created");
    t.match(await waitFor(() => upstream.events[0], "the session of the form"), {
      type: "session.update",
      session: { tracing: null },
    });
    const hungUp = await fetch(`${base}/calls/${caller.callId}/hangup`, { method: "POST", headers });
    t.equal(hungUp.status, 200);
    await caller.closed;
    caller.close();
    const beta = new WrtcCaller({ url: `${base}?model=gpt-realtime-mini`, headers });
    t.equal((await beta.connect()).status, 201);
    await beta.event("session.created");
    beta.close();
    await waitFor(() => relay.calls.size === 0, "a peer that closes ends its call at once");

    for (const fields of [{}, { sdp: "v=0" }, { sdp: "v=0", session: "[]" }]) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const answer = await fetch(`${base}/calls`, { method: "POST", headers, body });
      t.equal(answer.status, 400, JSON.stringify(fields));
    }
    const unknown = new WrtcCaller({ url: `${base}/calls`, headers, form: { model: "gpt-unknown" } });
    t.equal((await unknown.connect()).status, 400);
    unknown.close();
    // No worker is there, and the configured server would cost its operator something.
    const form = { model: "gpt-realtime-mini", type: "transcription" };
    const transcription = new WrtcCaller({ url: `${base}/calls`, headers, form });
    t.equal((await transcription.connect()).status, 503, "a transcription session leads to our own recogniser");
    transcription.close();
  });
});

t.test("a caller that vanishes ends the call within ten seconds, and is billed", async (t) => {
  const upstream = new Upstream();
  await withRelay({ onSocket: upstream.take }, async ({ api, url, relay, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const options = { url: `${url.replace(/^ws/, "http")}/connect`, headers: { "api-secret": secret } };
    const caller = forkModule(new URL("../../helpers/rooms/wrtc-caller-process.ts", import.meta.url), [
      JSON.stringify(options),
    ]);
    await once(caller, "message");
    t.equal(relay.calls.size, 1);
    advance(12_000);
    caller.kill("SIGKILL");
    const sinceMs = performance.now();
    await waitFor(() => relay.calls.size === 0, "the call has ended");
    t.ok(performance.now() - sinceMs < 10_000, `${Math.round(performance.now() - sinceMs)} ms`);
    await charged(secret, [2]);
  });
});

t.test("a caller that never connects is given up, and pays for the time of the upstream", async (t) => {
  const upstream = new Upstream();
  await withRelay({ onSocket: upstream.take }, async ({ api, url, relay, advance, charged }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const caller = new WrtcCaller({ url: connectUrl, headers: {} });
    const headers = { "api-secret": secret, "content-type": "application/sdp" };
    const answer = await fetch(connectUrl, { method: "POST", headers, body: await caller.offer() });
    t.equal(answer.status, 201);
    t.equal(relay.calls.size, 1);
    advance(60_000);
    const { socket } = upstream;
    await waitFor(() => relay.calls.size === 0, "the call has ended");
    await waitFor(() => socket?.readyState === socket?.CLOSED, "its upstream is closed");
    await waitFor(async () => {
      const calls = await api.services.database.selectFrom("realtime_calls").selectAll().execute();
      return calls.length === 0;
    }, "it is settled");
    await charged(secret, [10]);
    caller.close();
  });
});

t.test("channels that the relay does not read are closed, and the call goes on", async (t) => {
  await withRelay({ onSocket: new Upstream().take }, async ({ api, url }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const caller = new WrtcCaller({ url: `${url.replace(/^ws/, "http")}/connect`, headers: { "api-secret": secret } });
    await caller.connect();
    await caller.event("session.created");
    for (const label of ["files", "oai-events"]) {
      const channel = caller.openChannel(label);
      await waitFor(() => channel.readyState === "closed", `${label} is closed`);
    }
    caller.send({ type: "session.update", session: { model: "gpt-5" } });
    t.match(await caller.event("error"), { error: { code: "MODEL_LOCKED" } });
    caller.close();
  });
});

t.test("offers of one account leave ports for others, and a relay without a port refuses", async (t) => {
  const peers = { ports: { min: 47_310, max: 47_313 } };
  await withRelay({ onSocket: new Upstream().take, peers }, async ({ api, url, relay }) => {
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const accounts = await Promise.all([1, 2, 3].map(() => api.addAccount({ credits: 100 })));
    const caller = new WrtcCaller({ url: connectUrl, headers: {} });
    const offer = await caller.offer();
    const send = async (secret: string): Promise<[number, string | null]> => {
      const headers = { "api-secret": secret, "content-type": "application/sdp" };
      const answer = await fetch(connectUrl, { method: "POST", headers, body: offer });
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get("retry-after")];
    };
    for (const { secret } of accounts.slice(0, 2)) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => send(secret)));
      t.equal(answers.filter(([status]) => status === 201).length, 2, "half of the ports, unconnected as they are");
      t.ok(answers.every(([status, retryAfter]) => status === 201 || (status === 503 && retryAfter !== null)));
    }
    t.match(await send(accounts[2].secret), [503, "2"], "all ports are taken");
    t.equal(relay.calls.size, 4);
    caller.close();
  });
});

t.test("calls over WebRTC end with their process, the others go on, and the next offer starts another", async (t) => {
  await withRelay({ onSocket: new Upstream().take }, async ({ api, url, relay, connect: connectClient }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const callers = [1, 2].map(() => new WrtcCaller({ url: connectUrl, headers: { "api-secret": secret } }));
    t.equal(relay.peers.pid, undefined, "none before the first offer");
    const socket = await connectClient({ secret });
    await callers[0].connect();
    await callers[0].event("session.created");
    t.equal(relay.calls.size, 2);
    const pid = relay.peers.pid ?? 0;
    process.kill(pid, "SIGABRT");
    await waitFor(() => relay.calls.size === 1, "its call has ended");
    t.equal(socket.socket.readyState, socket.socket.OPEN);
    t.equal(relay.peers.crashes, 1);
    await callers[1].connect();
    await callers[1].event("session.created");
    t.not(relay.peers.pid, pid);
    await waitFor(() => relay.peers.memoryBytes > 1e7, "its memory is known");
    process.kill(relay.peers.pid ?? 0, "SIGSTOP");
    const stopped = relay.peers.pid ?? 0;
    await relay.close();
    t.throws(() => process.kill(stopped, 0), { code: "ESRCH" }, "a process that hangs is ended with the relay");
    for (const caller of callers) caller.close();
  });
});

t.test("a process of WebRTC calls that hangs is ended, and with it its calls", async (t) => {
  // The start of the process counts as silence, too.
  const options = { onSocket: new Upstream().take, silentPeersMs: 8_000 };
  await withRelay(options, async ({ api, url, relay, charged, advance }) => {
    const { secret } = await api.addAccount({ credits: 100 });
    const connectUrl = `${url.replace(/^ws/, "http")}/connect`;
    const caller = new WrtcCaller({ url: connectUrl, headers: { "api-secret": secret } });
    await caller.connect();
    await caller.event("session.created");
    advance(6_000);
    process.kill(relay.peers.pid ?? 0, "SIGSTOP");
    const headers = { "api-secret": secret, "content-type": "application/sdp" };
    const refused = await fetch(connectUrl, { method: "POST", headers, body: await caller.offer() });
    t.match(await refused.json(), { error: { code: "SERVICE_UNAVAILABLE" } }, "an offer to it is refused");
    t.ok(refused.headers.has("retry-after"));
    await waitFor(() => relay.calls.size === 0, "its calls have ended");
    t.equal(relay.peers.crashes, 1);
    await charged(secret, [1]);
    caller.close();
  });
});

t.test("what ends a call from the other side is told in an event, and closes the peer", async (t) => {
  const upstream = new Upstream();
  await withRelay({ onSocket: upstream.take }, async ({ api, url, relay, advance }) => {
    const { secret } = await api.addAccount({ credits: 2 });
    const options = { url: `${url.replace(/^ws/, "http")}/connect`, headers: { "api-secret": secret } };
    const first = new WrtcCaller(options);
    await first.connect();
    await first.event("session.created");
    upstream.socket?.close(1000, "done");
    t.match(await first.event("error"), { error: { type: "session_ended", code: "upstream_closed" } });
    await first.closed;
    const second = new WrtcCaller(options);
    await second.connect();
    await second.event("session.created");
    advance(60_000);
    t.match(await second.event("error"), { error: { code: "balance_exhausted", close_code: 4402 } });
    await second.closed;
    t.equal(relay.calls.size, 0);
    first.close();
    second.close();
  });
});
