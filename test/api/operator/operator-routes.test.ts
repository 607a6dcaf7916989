// The operator's overview: what it shows of the installation, and that it is for the operator alone.
import { hostname } from "node:os";
import t from "tap";
import { WorkerReporter } from "../../../agent-worker/service/worker-reporter.ts";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import { findRealtimeServer, listProviders, readCapacity } from "../../../api/sessions/workers/worker-registry.ts";
import { createLogger } from "../../../program/log.ts";
import { VERSION } from "../../../program/version.ts";
import type { WorkerReport } from "../../../shared/runtime-api.ts";
import { browserWith, cookieOf, OWN_PAGE, sendProof, signIn } from "../../helpers/service/sign-in.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { withSessions } from "../../helpers/service/with-sessions.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const PATH = "/console/overview";
const SECRET = "a-secret-of-the-operator-with-many-characters";
const logger = createLogger({ level: "silent", name: "test" });

const addOperator = ({ services }: TestApi) =>
  ensureOperatorAccount({ database: services.database, secret: SECRET, now: new Date(services.now()) });

t.test("the overview is for the operator's account alone, and the console is told who that is", async (t) => {
  await withIdleApi(async (api) => {
    const { userId } = await addOperator(api);
    const operator = await signIn(api, userId);
    t.match((await operator.call("GET", "/console/session")).body, { signed_in: true, is_operator: true });
    const { account } = await api.addAccount();
    const other = await signIn(api, account.userId);
    t.match((await other.call("GET", "/console/session")).body, { signed_in: true, is_operator: false });
    const forbidden = { status: 403, body: { error: { code: "FORBIDDEN" } } };
    t.match(await other.call("GET", PATH), forbidden, "another account");
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    t.match(await operator.call("GET", PATH, foreign), forbidden, "a page of another site");
    t.match(await api.call("GET", PATH, { headers: OWN_PAGE }), { status: 401 }, "no one");
    t.match(await api.call("GET", PATH, { secret: SECRET, headers: OWN_PAGE }), { status: 401 }, "a secret");
    const pasted = browserWith(api, cookieOf(await sendProof(api, { secret: SECRET })));
    t.equal((await pasted.call("GET", PATH)).status, 200, "who has signed in with the operator's secret");

    const { status, body } = await operator.call("GET", PATH);
    t.equal(status, 200);
    t.match(body, {
      checks: { database: "ok", livekit: "away", workers: "away" },
      versions: { api: VERSION, node: process.version, postgres: /^\d+/, livekit: null },
      workers: { listed: [], total: 0 },
      sessions: { listed: [], total: 0 },
      rooms: null,
    });
  });
});

t.test("the overview has workers, also while they drain, rooms, the queue and what each session costs", async (t) => {
  await withSessions({}, async ({ api, livekit, launch, agentCode }) => {
    const { database, pool } = api.services;
    const { userId } = await addOperator(api);
    const operator = await signIn(api, userId);
    const overview = async () => (await operator.call("GET", PATH)).body;
    let report: Omit<WorkerReport, "worker_id"> = {
      providers: ["cpu"],
      active_sessions: 1,
      max_sessions: 4,
      light_sessions: 2,
      max_light_sessions: 12,
      host: hostname(),
      version: VERSION,
      cores: 2,
      free_cores: 0.75,
      session_cores: 0.3,
      light_session_cores: 0.08,
      realtime_url: "ws://127.0.0.1:7/v1/realtime",
    };
    const reporter = new WorkerReporter({ apiUrl: api.baseUrl, livekit, intervalMs: 50, status: () => report, logger });
    reporter.start();
    // The checks are a second old at most, so that they may know the worker later than the list does.
    await waitFor(async () => (await overview()).checks.workers === "ok", "the worker");
    const { body: launched } = await launch("hall");
    await database.updateTable("avatar_sessions").set({ served_deciseconds: 1200, status: "live" }).execute();
    await pool.query("select graphile_worker.add_job('bake-agent', '{}')");
    await pool.query("select graphile_worker.add_job('bake-agent', '{}', run_at => now() + interval '1 hour')");

    const shown = await overview();
    t.match(shown, {
      at: /Z$/,
      checks: { database: "ok", livekit: "ok", workers: "ok", relays: "away" },
      versions: { livekit: /^\d+\.\d+/ },
      sessions: { total: 1 },
    });
    const { realtime_url: _, active_sessions: sessions, ...numbers } = report;
    t.match(shown.workers.listed, [{ ...numbers, sessions, is_draining: false, max_gpu_sessions: null }]);
    t.match(shown.sessions.listed, [
      {
        id: launched.session_id,
        agent_code: agentCode,
        status: "live",
        rendered_by: "worker",
        seconds: 120,
        credits: 8,
        credits_per_minute: 4,
      },
    ]);
    t.ok(Array.isArray(shown.rooms.listed));
    t.notOk(
      shown.rooms.listed.some(({ name }: { name: string }) => name.startsWith("ctl-")),
      "control rooms are left out",
    );
    const baking = shown.queue.find(({ kind }: { kind: string }) => kind === "bake-agent");
    t.match(baking, { waiting: 1, delayed: 1, running: 0, failed: 0 });

    const now = () => new Date(api.services.now());
    t.ok(await findRealtimeServer(database, now()));
    report = { ...report, max_sessions: 1, is_draining: true, realtime_url: undefined };
    await waitFor(async () => (await overview()).workers.listed[0]?.is_draining, "that it drains");
    t.equal(await readCapacity(database, now()), null, "a worker that drains counts for no capacity");
    t.equal((await listProviders(database, now())).size, 0);
    t.equal(await findRealtimeServer(database, now()), null);
    await reporter.close();
    t.equal((await overview()).workers.total, 0);
  });
});
