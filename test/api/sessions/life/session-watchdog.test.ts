// The watchdog: lost workers are replaced, sessions that no worker accepts are dispatched again.

import { sql } from "kysely";
import t from "tap";
import { SESSION_POLICIES } from "../../../../api/sessions/life/session-policies.ts";
import { createSessionWatchdog } from "../../../../api/sessions/life/session-watchdog.ts";
import { noteWorker } from "../../../../api/sessions/workers/worker-registry.ts";
import { findDispatch } from "../../../helpers/service/control-room-worker.ts";
import { acceptLaunches, LAUNCH, withSessions } from "../../../helpers/service/with-sessions.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const QUICK_WATCHDOG = { ...SESSION_POLICIES.watchdog, intervalMs: 50, graceMs: 0 };

t.test("a lost worker is replaced, its served time is kept, and its later reports are refused", async (t) => {
  await withSessions({}, async ({ api, livekit, secret, goLive }) => {
    const { id, worker, token } = await goLive("room");
    const { database } = api.services;
    const post = (path: string, bearer: string, body: object) =>
      api.call("POST", `/v1/runtime/sessions/${id}/${path}`, { bearer, body });
    await database
      .updateTable("avatar_sessions")
      .set({ created_at: new Date(Date.now() - 600_000) })
      .execute();
    await post("beat", token, { seq: 1, served_seconds: 100 });
    await worker.leave();
    const statusOf = async () => (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body.status;
    await database
      .updateTable("avatar_sessions")
      .set({ last_seen_at: new Date(Date.now() - 60_000) })
      .execute();
    // The api has just started, so its own watchdog first waits for heartbeats. This watchdog checks at once.
    t.equal(await statusOf(), "live", "a worker is not given up for the time the api was away");
    const watchdog = createSessionWatchdog({ ...api, graceMs: 0 });
    await watchdog.start();
    await waitFor(async () => (await statusOf()) === "starting", "the session to start again");
    await watchdog.close();
    const next = await findDispatch(livekit, id);
    t.not(next.runtime_token, token);
    t.match((await post("beat", token, { seq: 2, served_seconds: 200 })).body, {
      ok: false,
      stop: { reason: "worker_lost" },
    });
    t.match(await post("events", token, { event: "ended", reason: "model_failed" }), { status: 409 });
    t.equal((await post("events", next.runtime_token, { event: "live" })).status, 200);
    await post("beat", next.runtime_token, { seq: 1, served_seconds: 50 });
    const { body } = await api.call("GET", `/v1/runtime-sessions/${id}`, { secret });
    t.match(body, { status: "live", billed_seconds: 150, credits: 10 });
    t.equal(
      (await post("events", next.runtime_token, { event: "ended", reason: "last_user_left", served_seconds: 60 }))
        .status,
      200,
    );
    t.match((await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body, {
      status: "ended",
      end_reason: "last_user_left",
      billed_seconds: 160,
    });
  });
});

t.test("a session that no worker accepts after a drain is dispatched again when a worker registers", async (t) => {
  await withSessions({ hasWorker: false }, async ({ api, livekit, goLive }) => {
    const { database, policies } = api.services;
    const standIn = acceptLaunches(api, livekit);
    const { id, token } = await goLive("drained");
    await standIn.close();
    const report = (bearer: string, body: object) =>
      api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer, body });
    const read = () =>
      database.selectFrom("avatar_sessions").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const dispatchIs = (number: number) =>
      waitFor(async () => (await read()).dispatch_number === number, `dispatch ${number}`);
    const registerWorker = async () => {
      const worker = { id: crypto.randomUUID(), providers: ["cpu" as const], active_sessions: 0, max_sessions: 4 };
      await noteWorker(database, { worker_id: worker.id, is_stopping: false, ...worker }, new Date());
    };
    /** Runs until `check` holds, and for some checks more. */
    const watch = async (untakenTimeoutMs: number, until: () => Promise<unknown>) => {
      let checks = 0;
      const now = () => {
        checks += 1;
        return Date.now();
      };
      const policy = { ...QUICK_WATCHDOG, untakenTimeoutMs };
      const watchdog = createSessionWatchdog({
        services: { ...api.services, policies: { ...policies, watchdog: policy }, now },
        avatarSessions: api.avatarSessions,
        selfHosted: api.selfHosted,
        graceMs: 0,
      });
      await watchdog.start();
      await until();
      const before = checks;
      await waitFor(() => checks > before + 10, "checks of the watchdog");
      await watchdog.close();
    };

    const open = [{ sender_identity: "agent", position_ms: 40, interrupted: true }];
    await report(token, { event: "ended", reason: "worker_draining", open_segments: open });
    t.match(await read(), { status: "starting", dispatch_number: 2, open_segments: open });
    await watch(0, async () => undefined);
    t.equal((await read()).dispatch_number, 2, "without a worker, another dispatch would be dropped, too");
    await watch(3_600_000, async () => {
      await registerWorker();
      await dispatchIs(3);
    });
    t.match(await read(), { status: "starting", dispatch_number: 3, lost_workers: 0, open_segments: open }, "once");
    await database
      .updateTable("avatar_sessions")
      .set({ last_seen_at: new Date(Date.now() - 10_000) })
      .execute();
    await watch(5_000, () => dispatchIs(4));
    t.equal((await read()).dispatch_number, 4, "a dispatch that the worker did not get is repeated");

    const { runtime_token: bearer } = await findDispatch(livekit, id);
    const job = await api.call("GET", `/v1/runtime/sessions/${id}/job`, { bearer });
    t.match(job, { status: 200, body: { open_segments: open } }, "the next worker hears what is open");
    await report(bearer, { event: "accepted" });
    await watch(0, registerWorker);
    t.match(await read(), { dispatch_number: 4, lost_workers: 0 }, "an accepted one is left alone");
  });
});

t.test("the watchdog handles cloud sessions first, and an error does not end its round", async (t) => {
  const HOUR_MS = 3_600_000;
  await withSessions({ credits: 500 }, async ({ api, secret, userId, agentCode, goLive }) => {
    const { database } = api.services;
    const lost = await goLive("lost");
    await lost.worker.leave();
    const long = new Date(Date.now() - HOUR_MS);
    // Another account's sessions that never reported, all silent for longer than the lost worker.
    const stranger = await api.addAccount({ credits: 5 });
    const { body: exchange } = await api.call("POST", LAUNCH, { secret: stranger.secret });
    const begin = () =>
      api.call("POST", "/v1/runtime/sessions", { bearer: exchange.data.token, body: { model: "essence-2" } });
    t.equal((await begin()).status, 200);
    const copies = sql`
      insert into avatar_sessions (id, user_id, model, family, mode, is_self_hosted, has_conversation, livekit_url,
        room_name, avatar_identity, status, dispatch_number, last_seen_at, created_at, live_at)
      select 'cs_flood' || n, user_id, model, family, mode, true, false, '', '', '', 'live', 1, ${long}, ${long}, ${long}
      from avatar_sessions, generate_series(1, 999) n where user_id = ${stranger.account.userId}`;
    await copies.execute(database);
    t.match(await begin(), { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } }, "the cap");
    await database.updateTable("avatar_sessions").set({ last_seen_at: long }).where("user_id", "=", userId).execute();
    const replaced: string[] = [];
    const broken = await goLive("broken");
    await database.updateTable("avatar_sessions").set({ last_seen_at: long }).where("id", "=", broken.id).execute();
    const watchdog = createSessionWatchdog({
      services: { ...api.services, policies: { ...api.services.policies, watchdog: QUICK_WATCHDOG } },
      selfHosted: api.selfHosted,
      avatarSessions: {
        ...api.avatarSessions,
        async replaceWorker(id, dispatchNumber) {
          if (id === broken.id) throw new Error("cannot be replaced");
          replaced.push(id);
          await api.avatarSessions.replaceWorker(id, dispatchNumber);
        },
      },
    });
    await watchdog.start();
    const open = async () =>
      (
        await database
          .selectFrom("avatar_sessions")
          .select("id")
          .where("user_id", "=", stranger.account.userId)
          .where("status", "<>", "ended")
          .where("last_seen_at", "<=", long)
          .execute()
      ).length;
    await waitFor(async () => replaced.includes(lost.id) && (await open()) === 0, "one round of the watchdog");
    await watchdog.close();
    t.match((await api.call("GET", `/v1/runtime-sessions/${lost.id}`, { secret })).body, { status: "starting" });
    t.equal((await begin()).status, 200, "and the account may begin sessions again");
    t.ok(agentCode);
  });
});
