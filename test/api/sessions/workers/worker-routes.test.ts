// Avatar workers report themselves: what `/readyz` says, and whether a model that pins a tier is launched.
import { SignJWT } from "jose";
import { AgentDispatchClient } from "livekit-server-sdk";
import t from "tap";
import { WorkerReporter } from "../../../../agent-worker/service/worker-reporter.ts";
import { createDatabase } from "../../../../api/kernel/database/database.ts";
import { hasRelay } from "../../../../api/realtime/relay-registry.ts";
import { createReadinessCheck } from "../../../../api/sessions/readiness/readiness.ts";
import { findRealtimeServer, listProviders, readCapacity } from "../../../../api/sessions/workers/worker-registry.ts";
import { createLogger } from "../../../../program/log.ts";
import type { WorkerProvider, WorkerReport } from "../../../../shared/runtime-api.ts";
import {
  mintRealtimeToken,
  mintRelayToken,
  mintWorkerToken,
  verifyRealtimeToken,
} from "../../../../shared/worker-token.ts";
import { findDispatch } from "../../../helpers/service/control-room-worker.ts";
import { withApi, withIdleApi } from "../../../helpers/service/with-api.ts";
import { withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("a model that pins a tier is refused at once until a worker with that tier reports", async (t) => {
  await withSessions({}, async ({ api, livekit, launch, secret, agentCode }) => {
    const { database, now } = api.services;
    const readyz = async () => (await api.call("GET", "/readyz")).body;
    t.match(await readyz(), {
      status: "unhealthy",
      families: { "essence-2": { status: "unhealthy" } },
      checks: { database: "ok", livekit: "ok", workers: "away" },
    });
    const reporter = (providers: WorkerProvider[], apiSecret = livekit.apiSecret) =>
      new WorkerReporter({
        apiUrl: api.baseUrl,
        livekit: { apiKey: livekit.apiKey, apiSecret },
        status: () => ({ providers, active_sessions: 0, max_sessions: 4 }),
        logger,
      });
    const workersAre = (state: string) => waitFor(async () => (await readyz()).checks.workers === state, state);

    const stranger = reporter(["cuda"], "x".repeat(40));
    stranger.start();
    await stranger.close();
    const rows = await database.selectFrom("avatar_workers").select("id").execute();
    t.same(rows, [], "a report needs the LiveKit API secret");
    const plain = reporter(["cpu"]);
    plain.start();
    await workersAre("ok");
    t.match(await readyz(), { status: "ok", families: { "essence-2": { status: "ok" } } });

    const gpu = { model: "essence-2-gpu" };
    const startedMs = performance.now();
    const refused = await launch("gpu", gpu);
    t.match(refused, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE", message: /GPU.*essence-2/ } } });
    t.match(refused.headers.get("retry-after"), /^\d+$/);
    t.ok(performance.now() - startedMs < api.services.policies.acceptance.timeoutMs, "without waiting for a worker");
    const card = reporter(["cpu", "cuda"]);
    card.start();
    await waitFor(
      async () => (await database.selectFrom("avatar_workers").select("id").execute()).length === 2,
      "the second worker",
    );
    const started = await launch("gpu", gpu);
    t.match(started, { status: 200, body: { model: "essence-2-gpu" } });
    t.equal((await findDispatch(livekit, started.body.session_id)).provider, "cuda", "workers without one reject it");

    const ane = { model: "essence-2-ane" };
    const noEngine = { code: "SERVICE_UNAVAILABLE", message: /Apple Neural Engine.*essence-2/ };
    const overflow = await launch("ane", ane);
    t.match(overflow, { status: 503, body: { error: noEngine } }, "no other tier takes it");
    t.match(overflow.headers.get("retry-after"), /^\d+$/);
    const tokenOf = { agent_id: agentCode, fingerprint: "f00d", ...ane };
    const minted = await api.call("POST", "/v1/embed-tokens/request", { secret, body: tokenOf });
    const embedded = await api.call("POST", "/embed/session", { bearer: minted.body.data.token, body: {} });
    t.match(embedded, { status: 503, body: { error: noEngine } }, "nor on the embed page");
    const apple = reporter(["cpu", "ane"]);
    apple.start();
    await waitFor(async () => (await listProviders(database, new Date(now()))).has("ane"), "its report");
    const accelerated = await launch("ane", ane);
    t.match(accelerated, { status: 200, body: { model: "essence-2-ane" } });
    t.equal((await findDispatch(livekit, accelerated.body.session_id)).provider, "ane");

    await apple.close();
    await card.close();
    await plain.close();
    await workersAre("away");
    await database
      .insertInto("avatar_workers")
      .values({
        id: crypto.randomUUID(),
        providers: ["cuda"],
        active_sessions: 0,
        max_sessions: 1,
        last_seen_at: new Date(now() - 60_000),
      })
      .execute();
    t.equal((await launch("gpu-2", gpu)).status, 503, "a worker that no longer reports is away");
  });
});

t.test("sessions that need a GPU go to workers that measure one, as many as their cards take", async (t) => {
  await withSessions({}, async ({ api, livekit, launch }) => {
    const report = (status: Partial<WorkerReport>) =>
      new WorkerReporter({
        apiUrl: api.baseUrl,
        livekit,
        status: () => ({ providers: ["cpu"], active_sessions: 0, max_sessions: 8, ...status }),
        logger,
      });
    const dispatcher = new AgentDispatchClient(livekit.url.replace("ws", "http"), livekit.apiKey, livekit.apiSecret);
    const nameOf = async (id: string) => {
      await findDispatch(livekit, id);
      const dispatches = await dispatcher.listDispatch(`ctl-${id}`);
      return dispatches.map(({ agentName }) => agentName).find((name) => name.startsWith(livekit.dispatchName));
    };
    const card = report({ providers: ["cpu", "cuda"], max_gpu_sessions: 1 });
    const workers = [report({}), card];
    for (const worker of workers) worker.start();
    await waitFor(
      async () => (await api.services.database.selectFrom("avatar_workers").select("id").execute()).length === 2,
      "two workers",
    );
    const first = await launch("card", { model: "essence-2-gpu" });
    t.equal(first.status, 200);
    t.equal(await nameOf(first.body.session_id), `${livekit.dispatchName}-gpu`);
    t.match(await launch("card-2", { model: "essence-2-gpu" }), {
      status: 503,
      body: { error: { code: "SERVICE_UNAVAILABLE" } },
    });
    const plain = await launch("processor", { model: "essence-2" });
    t.equal(plain.status, 200, "the processors have room");
    t.equal(await nameOf(plain.body.session_id), livekit.dispatchName);
    for (const worker of workers) await worker.close();
  });
});

t.test("a worker that reports what cannot be is refused with the reason, and does not count", async (t) => {
  await withSessions({ hasWorker: false }, async ({ api, livekit }) => {
    const { database, now } = api.services;
    const workerId = crypto.randomUUID();
    const bearer = await mintWorkerToken(livekit, { workerId });
    const report = (fields: object) =>
      api.call("POST", "/v1/runtime/workers", {
        bearer,
        body: { worker_id: workerId, providers: ["cpu"], active_sessions: 0, max_sessions: 2, ...fields },
      });
    for (const [fields, message] of [
      [{ max_sessions: 1_000_000 }, /max_sessions/],
      [{ active_sessions: 1_000_000, max_sessions: 1_000_000 }, /active_sessions/],
      [{ active_sessions: 3, max_sessions: 2 }, /max_sessions: must not be less than active_sessions/],
      [{ max_sessions: -1 }, /max_sessions/],
      [{ max_gpu_sessions: 1_001 }, /max_gpu_sessions/],
    ] as const) {
      t.match(await report(fields), { status: 400, body: { error: { code: "VALIDATION_ERROR", message } } });
    }
    t.equal(await readCapacity(database, new Date(now())), null);
    t.equal((await report({})).status, 200);
    t.equal(await readCapacity(database, new Date(now())), 2);
  });
});

t.test("two workers with one id both count, as on copies of a machine", async (t) => {
  await withSessions({ hasWorker: false }, async ({ api, livekit }) => {
    const { database, now } = api.services;
    const workerId = crypto.randomUUID();
    const copies = [2, 3].map((maxSessions) => {
      const status = () => ({ providers: ["cpu" as const], active_sessions: 0, max_sessions: maxSessions });
      return new WorkerReporter({ apiUrl: api.baseUrl, livekit, workerId, intervalMs: 50, status, logger });
    });
    for (const copy of copies) copy.start();
    await waitFor(async () => (await readCapacity(database, new Date(now()))) === 5, "both are counted");
    await copies[0].close();
    await waitFor(async () => (await readCapacity(database, new Date(now()))) === 3, "one is left");
    await copies[1].close();
    t.equal(await readCapacity(database, new Date(now())), null);
  });
});

t.test("the realtime server of the worker with the most room is found, and none once no worker has one", async (t) => {
  const environment = { AVATAR_REALTIME_ADDRESSES: "10.0.0.0/8" };
  await withSessions({ hasWorker: false, environment }, async ({ api, livekit }) => {
    const { database } = api.services;
    const find = async () => (await findRealtimeServer(database, new Date()))?.url ?? null;
    const reporter = (activeSessions: number, realtimeUrl?: string) =>
      new WorkerReporter({
        apiUrl: api.baseUrl,
        livekit,
        status: () => ({
          providers: ["cpu"],
          active_sessions: activeSessions,
          max_sessions: 4,
          realtime_url: realtimeUrl,
        }),
        logger,
      });
    const workers = [
      reporter(2, "ws://10.0.0.1:1/v1/realtime"),
      reporter(1, "ws://10.0.0.2:1/v1/realtime"),
      reporter(0),
    ];
    t.equal(await find(), null);
    for (const worker of workers) worker.start();
    await waitFor(
      async () => (await database.selectFrom("avatar_workers").select("id").execute()).length === 3,
      "three",
    );
    t.equal(await find(), "ws://10.0.0.2:1/v1/realtime");
    await workers[1].close();
    t.equal(await find(), "ws://10.0.0.1:1/v1/realtime");
    t.equal(await findRealtimeServer(database, new Date(Date.now() + 60_000)), null, "a worker that is away has none");
    await workers[0].close();
    t.equal(await find(), null);
    await workers[2].close();
  });
});

t.test("a worker's token is good for its own report alone, and the token of a call for none", async (t) => {
  await withApi(async (api) => {
    const { livekit } = api.services;
    const workerId = crypto.randomUUID();
    const url = "ws://127.0.0.1:7/v1/realtime";
    const report = (bearer: string, fields: object = {}) =>
      api.call("POST", "/v1/runtime/workers", {
        bearer,
        body: { worker_id: workerId, providers: ["cpu"], active_sessions: 0, max_sessions: 1, ...fields },
      });
    const token = await mintWorkerToken(livekit, { workerId, realtimeUrl: url });
    const stolen = "ws://127.0.0.1:8/v1/realtime";
    const refused: [string, object][] = [
      [token, { worker_id: crypto.randomUUID(), realtime_url: url }],
      [token, { realtime_url: stolen }],
      [token, {}],
      [await mintWorkerToken(livekit, { workerId }), { realtime_url: url }],
      [await mintRealtimeToken(livekit, { workerId, url }), { realtime_url: url }],
      [await mintRelayToken(livekit), {}],
    ];
    for (const [bearer, fields] of refused) {
      t.match(await report(bearer, fields), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    }
    const found = () => findRealtimeServer(api.services.database, new Date());
    t.equal(await found(), null);
    t.match(await report(token, { realtime_url: url }), { status: 200, body: { is_realtime_accepted: true } });
    t.same(await found(), { workerId, url });

    const { secret } = await api.addAccount({ credits: 10 });
    const opened = await api.call("POST", "/v1/runtime/realtime/calls", {
      bearer: await mintRelayToken(livekit),
      body: {
        relay_id: crypto.randomUUID(),
        caller: { ip: "192.0.2.7", headers: { "api-secret": secret } },
        model: "service-realtime",
        query: {},
        transport: "websocket",
      },
    });
    const { authorization } = opened.body.upstream.headers;
    t.ok(await verifyRealtimeToken(authorization, livekit, { workerId, url }));
    t.notOk(await verifyRealtimeToken(authorization, livekit, { workerId, url: stolen }));
    t.notOk(await verifyRealtimeToken(authorization, livekit, { workerId: crypto.randomUUID(), url }));
    const renewed = await report(authorization.replace("Bearer ", ""), { realtime_url: url });
    t.equal(renewed.status, 401, "who serves a call cannot report with its token");

    const older = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(livekit.apiKey)
      .setAudience("service-worker")
      .setExpirationTime("60 s")
      .sign(new TextEncoder().encode(livekit.apiSecret));
    t.equal((await report(older, { max_sessions: 3, realtime_url: stolen })).status, 200, "of the version before");
    t.equal(await readCapacity(api.services.database, new Date()), 3, "its avatar sessions count");
    t.equal(await found(), null, "and no call goes there");
  });
});

t.test("calls go to the address from which a worker reports, or to one that the operator allows", async (t) => {
  const cases: [string, Record<string, string>, Record<string, string>, boolean][] = [
    ["127.0.0.1", {}, {}, true],
    ["[::1]", {}, {}, true],
    ["10.1.2.3", {}, {}, false],
    ["localhost", {}, {}, false],
    ["10.1.2.3", { "x-forwarded-for": "10.1.2.3" }, {}, false],
    ["10.1.2.3", { "x-forwarded-for": "10.1.2.3" }, { AVATAR_TRUST_PROXY: "1" }, true],
    ["10.1.2.3", { "x-forwarded-for": "10.1.2.3, 10.9.9.9" }, { AVATAR_TRUST_PROXY: "1" }, false],
    ["127.0.0.1", { "x-forwarded-for": "10.1.2.3" }, { AVATAR_TRUST_PROXY: "1" }, false],
    ["10.1.2.3", {}, { AVATAR_REALTIME_ADDRESSES: "192.0.2.1, 10.0.0.0/8" }, true],
    ["10.1.2.3", {}, { AVATAR_REALTIME_ADDRESSES: "::/0" }, false],
  ];
  for (const [host, headers, environment, isAccepted] of cases) {
    await withIdleApi(
      async (api) => {
        const workerId = crypto.randomUUID();
        const realtimeUrl = `ws://${host}:7/v1/realtime`;
        const report = { worker_id: workerId, providers: ["cpu"], active_sessions: 0, max_sessions: 1 };
        const { status, body } = await api.call("POST", "/v1/runtime/workers", {
          bearer: await mintWorkerToken(api.services.livekit, { workerId, realtimeUrl }),
          body: { ...report, realtime_url: realtimeUrl },
          headers,
        });
        t.match([status, body.is_realtime_accepted], [200, isAccepted], JSON.stringify([host, headers, environment]));
        const found = await findRealtimeServer(api.services.database, new Date());
        t.equal(found?.url, isAccepted ? realtimeUrl : undefined);
        t.equal(await readCapacity(api.services.database, new Date()), 1, "its avatar sessions count in any case");
      },
      { environment },
    );
  }
});

t.test("/readyz answers within about a second, whatever dependency is not reachable", async (t) => {
  await withSessions({ hasWorker: false }, async ({ api }) => {
    const database = createDatabase({ url: "postgres://127.0.0.1:9/nothing", logger });
    const livekit = { ...api.services.livekit, isReachable: async () => false };
    const check = createReadinessCheck({
      ...api.services,
      database,
      livekit,
      isRelayed: () => hasRelay(database),
    });
    t.same(await check(), { database: "away", livekit: "away", workers: "unknown", relays: "unknown" });
    t.equal(await api.services.livekit.isReachable(1_000), true);
    await database.destroy();
  });
});
