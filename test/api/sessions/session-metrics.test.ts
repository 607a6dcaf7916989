// Metrics of avatar sessions, through the routes that change them: each launch, change of worker and end is counted.
import t from "tap";
import { withSessions } from "../../helpers/service/with-sessions.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("launches, starts, changes of worker and ends are counted", async (t) => {
  const policies = { acceptance: { timeoutMs: 300 } };
  await withSessions({ credits: 100 }, async ({ api, launch, goLive, userId }) => {
    const { registry } = api.services.metrics;
    const readValue = async (series: string): Promise<number> => {
      const line = (await registry.metrics()).split("\n").find((text) => text.startsWith(`${series} `));
      return Number(line?.split(" ")[1]);
    };
    t.equal(await readValue('avatar_launches_total{result="accepted"}'), 0, "each begins at 0");
    const { id, token } = await goLive("metrics-1");
    t.equal(await readValue('avatar_launches_total{result="accepted"}'), 1);
    for (const step of ["accepted", "live"]) {
      t.equal(await readValue(`avatar_session_start_seconds_count{step="${step}"}`), 1, step);
    }
    const refused = await launch("metrics-2", { model: "no-such-model" });
    t.not(refused.status, 200);
    t.equal(await readValue('avatar_launches_total{result="accepted"}'), 1, "a request with wrong fields is no launch");

    const draining = { event: "ended", reason: "worker_draining", served_seconds: 0 };
    await api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer: token, body: draining });
    t.equal(await readValue('avatar_session_worker_changes_total{cause="drained"}'), 1);
    t.equal(await readValue('avatar_session_start_seconds_count{step="live"}'), 1, "only a first start counts");

    await api.avatarSessions.end(id, "ended_by_api");
    t.equal(await readValue('avatar_sessions_ended_total{reason="ended_by_api"}'), 1);
    t.equal(await readValue('avatar_sessions_ended_total{reason="worker_lost"}'), 0);

    const plan = (
      await api.services.database
        .selectFrom("accounts")
        .select("plan")
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow()
    ).plan;
    const live = `avatar_service_sessions{status="live",family="essence-2",plan="${plan}"}`;
    await waitFor(async () => (await readValue(live)) === 0, "no session is counted as live");
    for (const name of ["database_up", "livekit_up"]) t.equal(await readValue(`avatar_${name}`), 1, name);
    t.ok((await readValue("avatar_disk_free_bytes")) > 0);
    t.ok((await readValue('avatar_service_jobs{kind="deliver-webhooks",state="waiting"}')) >= 0);
  });
  await withSessions({ hasWorker: false, policies }, async ({ api, launch }) => {
    t.equal((await launch("metrics-3")).status, 503);
    t.match(await api.services.metrics.registry.metrics(), /^avatar_launches_total\{result="no_room"\} 1$/m);
  });
});

t.test("sessions, workers and late heartbeats are read from the database", async (t) => {
  await withSessions({ credits: 100 }, async ({ api, goLive }) => {
    const worker = {
      worker_id: "11111111-1111-4111-8111-111111111111",
      providers: ["cpu"],
      active_sessions: 1,
      max_sessions: 4,
    };
    await api.services.database
      .insertInto("avatar_workers")
      .values({
        id: worker.worker_id,
        providers: ["cpu"],
        active_sessions: 1,
        max_sessions: 4,
        last_seen_at: new Date(api.services.now() + 60_000),
      })
      .execute();
    await goLive("metrics-4");
    api.clock.hold();
    api.clock.advance(8_000);
    const text = await api.services.metrics.registry.metrics();
    t.match(text, /^avatar_service_sessions\{status="live",family="essence-2",plan="\w+"\} 1$/m);
    t.match(text, /^avatar_service_late_heartbeats 1$/m);
    t.match(text, /^avatar_service_workers 1$/m);
    t.match(text, /^avatar_service_room 3$/m);
    t.match(text, new RegExp(`^avatar_service_worker_capacity\\{worker="${worker.worker_id}"\\} 4$`, "m"));
  });
});
