// The worker's calls to the runtime API, against an HTTP server that answers as told.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { AcceptanceReports } from "../../../agent-worker/service/acceptance-reports.ts";
import { HeartbeatBridge } from "../../../agent-worker/service/heartbeat-bridge.ts";
import { Heartbeat } from "../../../agent-worker/session/heartbeat.ts";
import { RuntimeApiClient, refusesSession } from "../../../agent-worker/session/runtime-api-client.ts";
import { createLogger } from "../../../program/log.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

interface Received {
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown> | undefined;
}

/** Answers each request with the next of `answers`; the last one is repeated. */
async function withRuntimeApi(
  answers: { status: number; body?: unknown }[],
  work: (client: RuntimeApiClient, received: Received[], baseUrl: string) => Promise<void>,
): Promise<void> {
  const received: Received[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const { authorization } = request.headers;
    received.push({ path: request.url ?? "", authorization, body: text ? JSON.parse(text) : undefined });
    const { status, body } = answers.length > 1 ? answers.shift()! : answers[0];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === undefined ? "" : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const metadata = { avatar_session_id: "cs_1", runtime_token: "first-token", api_url: baseUrl };
  try {
    await work(new RuntimeApiClient(metadata), received, baseUrl);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const ROOM = { participants: 3, created_at: 1_700_000_000 };
const createHeartbeat = (client: RuntimeApiClient, onStop: (reason: string) => void, graceMs?: number) =>
  new Heartbeat({
    api: client,
    intervalMs: 20,
    servedSeconds: () => 1.5,
    watchedSeconds: () => undefined,
    mind: () => undefined,
    room: () => ROOM,
    isVacant: () => false,
    openSegments: () => [],
    onStop,
    logger,
    graceMs,
  });

t.test("an event is retried while the api fails, and not after a refusal", async (t) => {
  await withRuntimeApi(
    [{ status: 503 }, { status: 500 }, { status: 200, body: { ok: true } }],
    async (client, received) => {
      await client.reportEvent({ event: "live", served_seconds: 0 });
      t.equal(received.length, 3);
      t.match(received[2], { path: "/v1/runtime/sessions/cs_1/events", authorization: "Bearer first-token" });
    },
  );
  await withRuntimeApi([{ status: 409 }], async (client, received) => {
    const refusal = await client.reportEvent({ event: "live" }).catch((error: unknown) => error);
    t.match(refusal, { name: "HttpRefusal", status: 409 });
    t.ok(refusesSession(refusal));
    t.equal(received.length, 1);
  });
  await withRuntimeApi([{ status: 200, body: { avatar_session_id: 7 } }], async (client) => {
    await t.rejects(client.fetchJob(), { name: "ZodError" }, "an invalid job is refused");
  });
});

t.test("the token is sent to the api only", async (t) => {
  await withRuntimeApi([{ status: 200, body: "elsewhere" }], async (_, receivedElsewhere, elsewhere) => {
    await withRuntimeApi([{ status: 200, body: "here" }], async (client, received, here) => {
      await client.download(`${here}/v1/runtime/sessions/cs_1/model`);
      await client.download(`${elsewhere}/model`);
      t.equal(received[0].authorization, "Bearer first-token");
      t.equal(receivedElsewhere[0].authorization, undefined);
    });
  });
});

t.test("a knowledge query is sent once, and aborted when its signal fires", async (t) => {
  const passage = { kb_id: "k", file_id: "f", file_name: "a.md", heading: "", text: "Handles last.", score: 1 };
  await withRuntimeApi([{ status: 200, body: { results: [passage] } }], async (client, received) => {
    t.same(await client.searchKnowledge(` ${"word ".repeat(500)}`, { limit: 2 }), [passage]);
    t.match(received[0], { path: "/v1/runtime/sessions/cs_1/knowledge", authorization: "Bearer first-token" });
    t.match(received[0].body, { limit: 2 });
    t.equal(String(received[0].body?.query).length, 2_000, "what the api takes");
    t.same(await client.searchKnowledge("\n "), []);
    t.equal(received.length, 1, "nothing is asked without words");
    const spokenOn = client.searchKnowledge("What lasts?", { signal: AbortSignal.abort(new Error("spoken on")) });
    await t.rejects(spokenOn, { message: "spoken on" });
  });
  await withRuntimeApi([{ status: 503 }], async (client, received) => {
    await t.rejects(client.searchKnowledge("What lasts?"), { name: "HttpRefusal", message: /503/ });
    t.equal(received.length, 1, "it is not repeated, because a user is waiting");
  });
  await withRuntimeApi([{ status: 200, body: { results: [{ text: 7 }] } }], async (client) => {
    await t.rejects(client.searchKnowledge("What lasts?"), { name: "ZodError" });
  });
});

t.test(
  "heartbeats carry the served seconds and the newest token, and end the session when the answer says so",
  async (t) => {
    const answers = [
      { status: 200, body: { ok: true, balance: 5, token: "second-token" } },
      { status: 200, body: { ok: true, balance: 5 } },
      { status: 200, body: { ok: true, balance: 0, stop: { reason: "balance_exhausted" } } },
    ];
    await withRuntimeApi(answers, async (client, received) => {
      const stops: string[] = [];
      const heartbeat = createHeartbeat(client, (reason) => stops.push(reason));
      heartbeat.start();
      await waitFor(() => stops.length > 0, "the stop");
      t.same(stops, ["balance_exhausted"]);
      t.same(
        received.map(({ body }) => body),
        [1, 2, 3].map((seq) => ({ seq, served_seconds: 1.5, room: ROOM, is_vacant: false, open_segments: [] })),
      );
      t.same(
        received.map(({ authorization }) => authorization),
        ["Bearer first-token", "Bearer second-token", "Bearer second-token"],
      );
      heartbeat.close();
    });
  },
);

t.test("the session survives an api that cannot be reached for a while, but not a refusal", async (t) => {
  const recovering = [{ status: 503 }, { status: 503 }, { status: 200, body: { ok: true, balance: 1 } }];
  await withRuntimeApi(recovering, async (client, received) => {
    const stops: string[] = [];
    const heartbeat = createHeartbeat(client, (reason) => stops.push(reason));
    heartbeat.start();
    await waitFor(() => received.length >= 4, "four heartbeats");
    heartbeat.close();
    t.same(stops, []);
  });
  for (const [status, reason] of [
    [402, "balance_exhausted"],
    [403, "secret_revoked"],
    [404, "ended_by_api"],
    [503, "worker_lost"],
  ] as const) {
    await withRuntimeApi([{ status }], async (client) => {
      const stops: string[] = [];
      const heartbeat = createHeartbeat(client, (stop) => stops.push(stop), 100);
      heartbeat.start();
      await waitFor(() => stops.length > 0, `the stop after ${status}`);
      t.same(stops, [reason]);
    });
  }
});

t.test("a starting session reports its job until it is closed, refused or over its limit", async (t) => {
  await withRuntimeApi([{ status: 503 }, { status: 200 }], async (client, received) => {
    const reports = new AcceptanceReports({ api: client, logger, intervalMs: 5 });
    reports.start();
    await waitFor(() => received.length >= 3, "three reports, the first of which failed");
    t.match(received[2], { path: "/v1/runtime/sessions/cs_1/events", body: { event: "accepted" } });
    reports.close();
    reports.close();
  });
  for (const [status, limitMs] of [
    [409, 60_000],
    [200, 0],
  ]) {
    await withRuntimeApi([{ status }, { status: 200 }], async (client, received) => {
      const api = { reportAcceptance: () => client.reportAcceptance().finally(() => (reportCount += 1)) };
      let reportCount = 0;
      new AcceptanceReports({ api, logger, intervalMs: 0, limitMs }).start();
      await waitFor(() => reportCount > 0, "the first report");
      // A second one would be sent in the next round of timers, before this request.
      await new Promise((resolve) => setTimeout(resolve));
      await client.reportEvent({ event: "live" });
      t.same(
        received.map(({ body }) => body?.event),
        ["accepted", "live"],
      );
    });
  }
});

t.test("the last heartbeat of a dead process is repeated at the job's interval, with the newest token", async (t) => {
  await withRuntimeApi([{ status: 200, body: { ok: true, balance: 1, token: "newer" } }], async (client, received) => {
    const [openSegments, tokens] = [[], { runtimeToken: "first-token" }];
    const checkpoint = {
      ...tokens,
      isLive: true,
      servedSeconds: 7,
      heartbeatSeq: 3,
      openSegments,
      waitingMessages: [],
    };
    const bridge = new HeartbeatBridge({ api: client, intervalMs: 10, checkpoint, logger });
    bridge.start();
    const isRenewed = () => received.at(-1)?.authorization === "Bearer newer";
    await waitFor(isRenewed, "another one, with the token of an answer");
    bridge.close();
    t.match(received[0], { body: { seq: 3, served_seconds: 7 }, authorization: "Bearer first-token" });
    t.match(received.at(-1), { body: { seq: 3, served_seconds: 7 }, authorization: "Bearer newer" });
    t.equal(client.token, "newer", "which the next process gets");
  });
});
