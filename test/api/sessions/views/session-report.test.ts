// The sessions of a whole account over REST: listed with what they cost, looked into, terminated.
import { sql } from "kysely";
import t from "tap";
import {
  insertAvatarSession,
  moveAvatarSession,
  updateAvatarSession,
} from "../../../../api/sessions/record/avatar-session-store.ts";
import { seedSession } from "../../../helpers/console/seed-sessions.ts";
import { withSilentServer } from "../../../helpers/servers/with-silent-server.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { newSession } from "../../../helpers/service/new-session.ts";
import { type TestApi, withApi } from "../../../helpers/service/with-api.ts";

const AGENT = "A01ABC0001";
const MINUTE_MS = 60_000;

interface SessionOptions {
  id: string;
  ageMs: number;
  /** Since its last word. Default 0. */
  silentMs?: number;
  isSelfHosted?: boolean;
  isLive?: boolean;
}

/** A session that has not ended, as launches and heartbeats leave it; all its age is served. */
async function addSession(api: TestApi, userId: string, secretId: string, options: SessionOptions): Promise<void> {
  const { database, now } = api.services;
  const { id, ageMs, silentMs = 0, isSelfHosted = false, isLive = true } = options;
  const createdAt = new Date(now() - ageMs);
  const origin = { id, userId, secretId, agentCode: AGENT, isSelfHosted, avatarIdentity: id, createdAt };
  await insertAvatarSession(
    database,
    newSession({ ...origin, ...(isSelfHosted ? { mode: "self_hosted", roomName: "" } : { roomName: `room-${id}` }) }),
  );
  await updateAvatarSession(database, id, { lastSeenAt: new Date(now() - silentMs) });
  const patch = { liveAt: createdAt, servedDeciseconds: Math.floor(ageMs / 100) };
  if (isLive) await moveAvatarSession(database, id, { from: "starting", to: "live", patch });
}

t.test("an account's sessions are listed with their cost, by window and kind, and terminated", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ credits: 1000 });
    const { userId } = account;
    await addAgent(api.services, { userId, code: AGENT });
    const { id: secretId } = await api.services.database
      .selectFrom("api_secrets")
      .select("id")
      .where("user_id", "=", userId)
      .executeTakeFirstOrThrow();
    await addSession(api, userId, secretId, { id: "cs_a", ageMs: 4 * MINUTE_MS });
    await addSession(api, userId, secretId, {
      id: "cs_b",
      ageMs: 3 * MINUTE_MS,
      isSelfHosted: true,
      silentMs: 200_000,
    });
    await addSession(api, userId, secretId, { id: "cs_c", ageMs: 1000, isLive: false });
    await addSession(api, userId, secretId, { id: "cs_d", ageMs: 120 * MINUTE_MS });
    const base = `/v2/${userId}/runtime-sessions`;
    const list = async (query = "") => (await api.call("GET", base + query, { secret })).body;

    const all = await list();
    t.same(Object.keys(all).sort(), ["data", "pagination", "success"]);
    const { sessions, ...totals } = all.data;
    t.match(totals, { active_count: 4, live_burn_rate_cr_per_min: 4 + 2 + 4 });
    // Four minutes at 4, three at 2, and of two hours at 4 the last one.
    t.ok(Math.abs(totals.credits_this_hour - (16 + 6 + 240)) < 2, `credits this hour: ${totals.credits_this_hour}`);
    t.same(
      sessions.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [
        ["cs_c", "idle"],
        ["cs_b", "idle"],
        ["cs_a", "live"],
        ["cs_d", "live"],
      ],
      "newest first; idle is what does not show yet, or has been silent",
    );
    const { started, last_seen, ...shown } = sessions[2];
    t.same(shown, {
      id: "cs_a",
      agent_code: AGENT,
      agent_name: "Test agent",
      billing_type: "usage_essence_2_model_cloud",
      key_alias: "test",
      room_name: "room-cs_a",
      ended: null,
      end_reason: null,
      minutes: 4,
      viewer_rendered_minutes: 0,
      credits: 16,
      burn_rate_cr_per_min: 4,
      status: "live",
      has_transcript: false,
      transaction_id: null,
      end_user_id: null,
      tags: null,
    });
    t.ok(Date.parse(started) < Date.parse(last_seen));

    const idsOf = (body: { data: { sessions: { id: string }[] } }) => body.data.sessions.map(({ id }) => id);
    t.same(idsOf(await list("?kind=self_hosted")), ["cs_b"]);
    t.same(idsOf(await list("?kind=conversations&limit=2")), ["cs_c", "cs_a"]);
    t.same(idsOf(await list("?window=recent")), [], "none has ended");
    t.same(idsOf(await list("?window=ended")), []);
    t.same(idsOf(await list(`?agent_code=${AGENT}&offset=3`)), ["cs_d"]);
    t.match(await list("?limit=2&offset=1"), { pagination: { limit: 2, offset: 1, total: 4, has_more: true } });
    t.match(await list("?limit=2&offset=2"), { pagination: { total: 4, has_more: false } });
    t.match(await list("?agent_code=A01ABC0002"), {
      data: { active_count: 4, sessions: [] },
      pagination: { total: 0 },
    });
    const hourAgo = encodeURIComponent(new Date(api.services.now() - 60 * MINUTE_MS).toISOString());
    t.same(idsOf(await list(`?start=${hourAgo}`)), ["cs_c", "cs_b", "cs_a"], "those that began since");
    t.same(idsOf(await list(`?end=${hourAgo}`)), ["cs_d"], "those that began earlier");
    const one = (await api.call("GET", "/v1/runtime-sessions/cs_a", { secret })).body;
    t.match(one, { status: "live", burn_rate_cr_per_min: 4, dispatch_number: 1, left_at: null, vacant_since: null });
    t.match(one, { live_at: one.started_at, is_self_hosted: false, has_conversation: false });
    for (const query of ["window=old", "kind=x", "limit=0", "limit=201", "offset=-1", "start=now"]) {
      t.match(await list(`?${query}`), { status_code: 400, error: { code: "VALIDATION_ERROR" } }, query);
    }

    const messages = await api.call("GET", `${base}/cs_b/messages`, { secret });
    t.match(messages.body, {
      success: true,
      data: { session_id: "cs_b", agent_code: AGENT, started: String, ended: null, live: true },
    });
    t.same(messages.body.data.messages, []);

    const terminate = (id: string, body?: object) => api.call("POST", `${base}/${id}/terminate`, { secret, body });
    const own = await terminate("cs_b", { reason: "left the desk" });
    t.match(own, { status: 200, body: { success: true } });
    const { note, ...closed } = own.body.data;
    t.same(closed, { session_id: "cs_b", closed: true, ended: false, self_hosted: true });
    t.type(note, "string");
    const hosted = await terminate("cs_a");
    t.match(
      hosted.body.data,
      { session_id: "cs_a", closed: true, ended: false, self_hosted: false },
      "a worker that cannot be reached is not known to have left",
    );
    t.equal((await terminate("cs_a")).status, 200, "it can be repeated");
    t.same(idsOf(await list("?window=live")), ["cs_c", "cs_d"]);
    const recent = await list("?window=recent");
    t.same(idsOf(recent), ["cs_b", "cs_a"]);
    t.match(recent.data.sessions[1], { status: "ended", credits: 16, burn_rate_cr_per_min: 0 });
    t.equal(recent.data.active_count, 2, "totals are of the whole account");
    t.match((await api.call("GET", `${base}/cs_a/messages`, { secret })).body.data, { live: false, ended: String });

    const stranger = await api.addAccount();
    const foreign = `/v2/${stranger.account.userId}/runtime-sessions/cs_d`;
    for (const [method, path] of [
      ["GET", `${foreign}/messages`],
      ["POST", `${foreign}/terminate`],
    ]) {
      const refused = await api.call(method, path, { secret: stranger.secret });
      t.match(refused, { status: 404, body: { error: { code: "NOT_FOUND" } } }, `${method} ${path}`);
    }
    t.same(idsOf(await list("?window=live")), ["cs_c", "cs_d"], "a stranger ends nothing");
  });
});

t.test("revoke-all answers while LiveKit does not, and leaves the rooms to a job", async (t) => {
  await withSilentServer(async (silent) => {
    const livekit = {
      url: `ws://127.0.0.1:${silent.port}`,
      apiKey: "k",
      apiSecret: "s".repeat(32),
      dispatchName: "none",
    };
    await withApi(
      async (api) => {
        const { account, secret } = await api.addAccount({ credits: 1000 });
        const { database } = api.services;
        for (let index = 0; index < 60; index++) {
          await seedSession(api, { userId: account.userId, ageMs: MINUTE_MS, isHosted: true });
        }
        const beganMs = performance.now();
        const revoked = await api.call("POST", `/v2/${account.userId}/runtime/revoke-all`, { secret, body: {} });
        const tookMs = performance.now() - beganMs;
        t.match(revoked, { status: 200, body: { data: { revoked: 60 } } });
        // One after the other, eight at a time, they would take two minutes.
        t.ok(tookMs < 45_000, `it took ${Math.round(tookMs)} ms`);
        const left = await database.selectFrom("avatar_sessions").select("id").where("status", "<>", "ended").execute();
        t.same(left, [], "none is charged any more");
        const { rows } = await sql<{ ids: string[] }>`
          select payload->'ids' as ids from graphile_worker._private_jobs where payload->'ids' is not null`.execute(
          database,
        );
        t.equal(rows[0]?.ids.length, 60, "the job closes the rooms");
      },
      { livekit, background: "loops" },
    );
  });
});
