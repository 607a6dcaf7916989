// What a session costs that its viewers render: the self-hosted rate without video, the cloud rate with it.
import t from "tap";
import { balanceOf } from "../../../../api/accounts/credits/ledger.ts";
import { type SessionStage, withSessions } from "../../../helpers/service/with-sessions.ts";

const HOUR_MS = 3_600_000;
const CLOUD = "usage_essence_2_model_cloud";
const OWN = "usage_essence_2_model_self_hosted";

/** A visitor's session of a page with `render`, and what it has cost. Its first hour is over, so that a worker can
 *  have served as long. */
async function visit(stage: SessionStage, { render, visitor = "a visitor" }: { render: string; visitor?: string }) {
  const { api, secret, userId, agentCode } = stage;
  const { database, tokens } = api.services;
  const minted = await api.call("POST", "/v1/embed-tokens/request", {
    secret,
    body: { agent_id: agentCode, fingerprint: visitor },
  });
  const started = await api.call("POST", "/embed/session", { bearer: minted.body.data.token, body: { render } });
  const { id } = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("room_name", "=", started.body.room_name)
    .where("status", "<>", "ended")
    .executeTakeFirstOrThrow();
  let seq = 0;
  /** The token of its present worker: a launch may be dispatched more than once. */
  const bearer = async () => {
    const { dispatch_number: dispatch } = await database
      .selectFrom("avatar_sessions")
      .select("dispatch_number")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return (await tokens.runtimeSession.mint({ sub: id, dispatch })).token;
  };
  const path = `/v1/runtime/sessions/${id}`;
  const report = async (body: object) => api.call("POST", `${path}/events`, { bearer: await bearer(), body });
  await report({ event: "live", mind: "none" });
  await database
    .updateTable("avatar_sessions")
    .set({ created_at: new Date(Date.now() - HOUR_MS) })
    .where("id", "=", id)
    .execute();
  const lines = async () =>
    (await api.call("GET", "/v1/usage", { secret })).body.data
      .filter((row: { id: string }) => row.id.startsWith(`session:${id}`))
      .map((row: { pricing_code: string; credits_change: number }) => [row.pricing_code, row.credits_change])
      .sort();
  return {
    id,
    report,
    lines,
    serve: async (served: unknown, viewers?: unknown) =>
      api.call("POST", `${path}/beat`, {
        bearer: await bearer(),
        body: { seq: ++seq, served_seconds: served, viewer_rendered_seconds: viewers },
      }),
    /** The session as its owner sees it, in the list and alone. */
    async seen() {
      const { data } = (await api.call("GET", `/v2/${userId}/runtime-sessions?kind=conversations`, { secret })).body;
      const listed = data.sessions.find((one: { id: string }) => one.id === id);
      const one = (await api.call("GET", `/v1/runtime-sessions/${id}`, { secret })).body;
      t.equal(one.credits, listed.credits);
      return { ...listed, viewerSeconds: one.viewer_rendered_seconds, billedSeconds: one.billed_seconds };
    },
    /** Its worker hands it over; from now on the next one reports. */
    async handOver(served: number, viewers: number) {
      await report({
        event: "ended",
        reason: "worker_draining",
        served_seconds: served,
        viewer_rendered_seconds: viewers,
      });
      seq = 0;
      await report({ event: "accepted" });
      await report({ event: "live", mind: "none" });
    },
    async end() {
      // The api counts the time since the last heartbeat, too.
      const last_seen_at = new Date(Date.now() + 60_000);
      await database.updateTable("avatar_sessions").set({ last_seen_at }).where("id", "=", id).execute();
      return (await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret })).body;
    },
    balance: async () => (await balanceOf(database, userId)).total,
  };
}

t.test("while only viewers render, a conversation costs the self-hosted rate under its pricing code", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { serve, seen, lines, end, balance } = await visit(stage, { render: "local" });
    t.match(await seen(), { billing_type: OWN, burn_rate_cr_per_min: 2, credits: 0, viewerSeconds: 0 });
    t.match((await serve(60, 60)).body, { ok: true, balance: 1000 - 2 });
    t.match(await seen(), {
      billing_type: OWN,
      burn_rate_cr_per_min: 2,
      credits: 2,
      minutes: 1,
      viewer_rendered_minutes: 1,
      viewerSeconds: 60,
      billedSeconds: 60,
    });
    t.same(await lines(), [[OWN, 2]]);
    t.match(await end(), { status: "ended", credits: 2, viewer_rendered_seconds: 60 });
    t.same(await lines(), [[OWN, 2]], "one movement");
    t.equal(await balance(), 1000 - 2);
  });
});

t.test("time with video costs the cloud rate, in a movement of its own", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { serve, seen, lines, end, balance } = await visit(stage, { render: "local" });
    await serve(60, 60);
    t.match((await serve(90, 60)).body, { balance: 1000 - 2 - 2 }, "half a minute of video");
    t.match(await seen(), { billing_type: CLOUD, burn_rate_cr_per_min: 4, credits: 4, viewer_rendered_minutes: 1 });
    await serve(150, 120);
    const expected = [
      [CLOUD, 2],
      [OWN, 4],
    ];
    t.same(await lines(), expected);
    t.match(await end(), { credits: 6, billed_seconds: 150, viewer_rendered_seconds: 120 });
    t.same(await lines(), expected);
    t.equal(await balance(), 1000 - 6);
  });
});

t.test("each rate is floored in each session, and what is left is carried under its own code", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    for (const [visitor, own, cloud] of [
      // 20 s at 2 a minute are two thirds of a credit, 10 s at 4 a minute as well.
      ["first", 0, 0],
      ["second", 1, 1],
      ["third", 1, 1],
      ["fourth", 0, 0],
    ] as const) {
      const { serve, lines, end } = await visit(stage, { render: "local", visitor });
      await serve(20, 20);
      await serve(30, 20);
      t.equal((await end()).credits, own + cloud, visitor);
      t.same(
        await lines(),
        [
          [CLOUD, cloud],
          [OWN, own],
        ],
        visitor,
      );
    }
  });
});

t.test("a worker that reports no such time streams, and hostile reports never lower a price already due", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const early = await visit(stage, { render: "local", visitor: "of an earlier worker" });
    await early.serve(60);
    t.same(await early.lines(), [[CLOUD, 4]]);

    const { serve, seen } = await visit(stage, { render: "local" });
    await serve(30, 1e308);
    t.match(await seen(), { viewerSeconds: 30 }, "never more than was served");
    await serve(60, 30);
    await serve(62, 62);
    t.match(await seen(), { viewerSeconds: 32 }, "seconds with video remain seconds with video");
    await serve(64, 0);
    t.match(await seen(), { viewerSeconds: 32 }, "it never decreases");
    for (const bad of [-1, "60", {}, "NaN"]) t.equal((await serve(70, bad)).status, 400, String(bad));
    t.match(await seen(), { billedSeconds: 64, viewerSeconds: 32 });

    const streamed = await visit(stage, { render: "stream", visitor: "forbidden" });
    await stage.api.services.database
      .updateTable("avatar_sessions")
      .set({ viewers_may_render: false })
      .where("id", "=", streamed.id)
      .execute();
    await streamed.serve(60, 60);
    t.same(await streamed.lines(), [[CLOUD, 4]], "where viewers may not render, every second is streamed");
  });
});

t.test("the time without video goes on with the next worker, and the last seconds are like those before", async (t) => {
  await withSessions({ credits: 1000 }, async (stage) => {
    const { api, secret } = stage;
    const moved = await visit(stage, { render: "local" });
    await moved.serve(30, 30);
    await moved.handOver(40, 35);
    t.match(await moved.seen(), { billedSeconds: 40, viewerSeconds: 35 });
    await moved.serve(20, 20);
    t.match(await moved.seen(), { billedSeconds: 60, viewerSeconds: 55 });
    await moved.report({ event: "ended", reason: "room_closed", served_seconds: 30, viewer_rendered_seconds: 25 });
    t.match(await moved.seen(), { status: "ended", billedSeconds: 70, viewerSeconds: 60 });
    t.same(await moved.lines(), [
      [CLOUD, 0],
      [OWN, 2],
    ]);

    const { id, seen, serve } = await visit(stage, { render: "auto", visitor: "another" });
    await serve(10, 10);
    const last_seen_at = new Date(Date.now() - 1_500);
    await api.services.database.updateTable("avatar_sessions").set({ last_seen_at }).where("id", "=", id).execute();
    await api.call("POST", `/v1/runtime-sessions/${id}/end`, { secret });
    const { billedSeconds, viewerSeconds, billing_type } = await seen();
    t.ok(billedSeconds > 11, "time since the last heartbeat counts");
    t.equal(viewerSeconds, billedSeconds);
    t.equal(billing_type, OWN);
  });
});

t.test("a session ends when its balance is used up, at the rate that it costs", async (t) => {
  await withSessions({ credits: 3 }, async (stage) => {
    const { serve } = await visit(stage, { render: "local" });
    t.match((await serve(60, 60)).body, { ok: true, balance: 1 }, "a minute of video would have cost four");
    t.match((await serve(90, 90)).body, { ok: false, balance: 0, stop: { reason: "balance_exhausted" } });
  });
});

t.test("/v1/pricing says what a session in the browser costs", async (t) => {
  await withSessions({ hasWorker: false }, async ({ api, secret }) => {
    const { realtime } = (await api.call("GET", "/v1/pricing", { secret })).body.data;
    t.same(Object.keys(realtime.in_browser).sort(), ["note", "surface"]);
    t.match(realtime.in_browser, { surface: "embed", note: /self_hosted rate.*hosted rate.*free/ });
    t.match(realtime.self_hosted.by_model["essence-2"], {
      pricing_code: OWN,
      rate: 2,
      rounding: "session_seconds_floor_carry",
      basis: "session_seconds",
    });
  });
});
