// The stream of changes: what it brings to whom, its bounds, and how it ends.
import { sql } from "kysely";
import t from "tap";
import { ensureOperatorAccount } from "../../../api/accounts/operator-account.ts";
import { revokeSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { updateAgent } from "../../../api/agents/record/agent-store.ts";
import { insertAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { openChanges } from "../../helpers/service/change-events.ts";
import { newSession } from "../../helpers/service/new-session.ts";
import { browserWith, cookieOf, OWN_PAGE, sendProof, signIn } from "../../helpers/service/sign-in.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HOUR_MS = 3_600_000;
const EVENTS = "/console/api/events";
/** The last change of a test: what came before it was not sent. */
const LAST = "insert into uploads values (gen_random_uuid(), $1, gen_random_uuid(), 'a', 'b', 'c', 1, 'd', now())";

/** Waits until the process listens to the database. */
const untilListening = (api: TestApi) =>
  waitFor(() => api.services.notifications.isListening, "a connection that listens");

t.test("a change that any process writes reaches the account's pages, and no other account's", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { pool, database } = api.services;
    const { account } = await api.addAccount();
    const stranger = await api.addAccount();
    const own = await openChanges(api, await signIn(api, account.userId));
    const foreign = await openChanges(api, await signIn(api, stranger.account.userId));

    const code = await addAgent(api.services, { userId: account.userId });
    await own.until("agents");
    await insertAvatarSession(database, newSession({ userId: account.userId, agentCode: code }));
    await own.until("sessions");
    await pool.query("insert into session_messages select id, 1, 'user', 'Hello', now() from avatar_sessions");
    await own.until("messages");
    await pool.query(LAST, [account.userId]);
    await own.until("files");
    t.strictSame(own.nouns().toSorted(), ["agents", "files", "messages", "sessions"]);

    await pool.query(LAST, [stranger.account.userId]);
    await foreign.until("files");
    t.strictSame(foreign.nouns(), ["files"], "nothing of the other account, and workers for the operator only");
    t.match(own.events[0], /^ready/, "the first event says that everything is to be loaded");
    own.close();
    foreign.close();
  });
});

t.test("what no one sees is not notified: heartbeats, a value that stays, a secret of a session", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { pool, database, now } = api.services;
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const code = await addAgent(api.services, { userId: account.userId });
    const { id } = await insertAvatarSession(database, newSession({ userId: account.userId, agentCode: code }));
    const agent = await pool.query<{ id: string }>("select id from agents");
    const changes = await openChanges(api, browser);
    await pool.query("update avatar_sessions set served_deciseconds = 50, last_seen_at = now() where id = $1", [id]);
    await updateAgent(database, agent.rows[0].id, { status: "ready" }, new Date(now()));
    await pool.query(
      "insert into api_secrets (user_id, alias, secret_sha256, last_four, created_at, is_console) values ($1, 'x', 'x', '', now(), true)",
      [account.userId],
    );
    await pool.query(LAST, [account.userId]);
    await changes.until("files");
    t.strictSame(changes.nouns(), ["files"]);
    await pool.query("update avatar_sessions set status = 'live', live_at = now() where id = $1", [id]);
    await changes.until("sessions");
    await updateAgent(database, agent.rows[0].id, { progress: 0.5 }, new Date(now()));
    await changes.until("agents");
    changes.close();
  });
});

t.test("many changes come as few events", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account } = await api.addAccount();
    const changes = await openChanges(api, await signIn(api, account.userId));
    const startMs = performance.now();
    for (let count = 0; count < 300; count++) await api.services.pool.query(LAST, [account.userId]);
    await changes.until("files");
    const seconds = (performance.now() - startMs) / 1000;
    t.ok(changes.events.length <= 3 + seconds * 4, `${changes.events.length} events in ${seconds} s`);
    changes.close();
  });
});

t.test("the page of a member hears of the organization for which it acts; the operator's, of workers", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { pool, database, now } = api.services;
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const { id } = (await browser.call("POST", "/console/api/v2/organizations", { body: { name: "Museum" } })).body;
    const acting = await openChanges(api, browser, `?organization_id=${id}`);
    const notActing = await openChanges(api, browser);
    const operatorAccount = await ensureOperatorAccount({ database, secret: "o".repeat(40), now: new Date(now()) });
    const operator = await openChanges(api, await signIn(api, operatorAccount.userId));

    await pool.query(
      "insert into knowledge_bases (id, organization_id, user_id, name, status, created_at) values (gen_random_uuid(), $1, $2, 'a', 'stale', now())",
      [id, account.userId],
    );
    await acting.until("knowledge");
    await pool.query("insert into avatar_workers values (gen_random_uuid(), '{cpu}', 0, 4, now())");
    await operator.until("workers");
    await pool.query("update organizations set name = 'Gallery' where id = $1", [id]);
    await notActing.until("organizations");
    t.notOk([...notActing.nouns(), ...acting.nouns()].includes("workers"));
    t.notOk(notActing.nouns().includes("knowledge"));

    const stranger = await signIn(api, (await api.addAccount()).account.userId);
    t.match(await stranger.call("GET", `${EVENTS}?organization_id=${id}`), { status: 403 });
    t.match(await stranger.call("GET", `${EVENTS}?organization_id=x`), { status: 400 });
    await pool.query("delete from organization_members where organization_id = $1", [id]);
    await acting.until('end {"reason":"session_ended"}');
    t.notOk(notActing.hasEnded, "the person is signed in still");
    for (const stream of [acting, notActing, operator]) stream.close();
  });
});

t.test("a stream ends with its session: revoked, signed out, or its pasted secret revoked", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account, secret } = await api.addAccount();
    const [signedOut, revoked, staying] = [
      await signIn(api, account.userId),
      await signIn(api, account.userId),
      await signIn(api, account.userId),
    ];
    const pasted = browserWith(api, cookieOf(await sendProof(api, { secret })));
    const streams = await Promise.all(
      [signedOut, revoked, pasted, staying].map((browser) => openChanges(api, browser)),
    );
    const [ofSignedOut, ofRevoked, ofPasted, ofStaying] = streams;
    await signedOut.call("DELETE", "/console/session");
    await ofSignedOut.until('end {"reason":"session_ended"}');
    await waitFor(() => ofSignedOut.hasEnded, "the end of the stream");
    const { session_id } = (await revoked.call("GET", "/console/session")).body;
    await staying.call("DELETE", `/console/sign-ins/${session_id}`);
    await ofRevoked.until('end {"reason":"session_ended"}');
    await revokeSecret(api.services.database, account.userId, "test", new Date());
    await ofPasted.until('end {"reason":"session_ended"}');
    await ofStaying.until("secrets");
    t.notOk(ofStaying.hasEnded);
    t.match(await signedOut.call("GET", EVENTS), { status: 401 });
    ofStaying.close();
  });
});

t.test("an open page does not prolong its session: neither the stream nor what the page asks by itself", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    api.clock.hold();
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    api.clock.advance(11 * HOUR_MS);
    const changes = await openChanges(api, browser);
    const headers = { "x-service-unattended": "1" };
    t.match(await browser.call("GET", "/console/api/v1/agents", { headers }), { status: 200 });
    const asked = await browser.call("GET", "/console/session", { headers });
    t.match(asked.body, { signed_in: true });
    t.equal(asked.headers.get("set-cookie"), null);
    api.clock.advance(HOUR_MS);
    t.match(await browser.call("GET", "/console/api/v1/agents", { headers }), { status: 401 });
    // Any change of secrets has the sessions checked.
    await api.services.pool.query("update api_secrets set alias = 'y' where alias = 'test'");
    await changes.until('end {"reason":"session_ended"}');
  });
});

t.test("an account has ten streams at most, and gets a place back when a page goes", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const streams = await Promise.all(Array.from({ length: 10 }, () => openChanges(api, browser)));
    const refused = await browser.call("GET", EVENTS);
    t.match(refused, { status: 429, body: { error: { code: "RATE_LIMITED", message: /10 open pages/ } } });
    t.ok(Number(refused.headers.get("retry-after")) > 0);
    streams.pop()?.close();
    const next = await waitFor(() => openChanges(api, browser).catch(() => null), "a free place");
    for (const stream of [...streams, next]) stream.close();
    t.match(await api.call("GET", EVENTS, { headers: OWN_PAGE }), { status: 401 }, "without a cookie");
    const foreign = { "sec-fetch-site": "cross-site" };
    t.match(await browser.call("GET", EVENTS, { headers: foreign }), { status: 403 }, "of another site");
  });
});

t.test("streams end when the api stops, and others are refused", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const changes = await openChanges(api, browser);
    api.stopStreams();
    await changes.until('end {"reason":"service_closing"}');
    await waitFor(() => changes.hasEnded, "the end of the stream");
    t.match(await browser.call("GET", EVENTS), { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
  });
});

t.test("without a connection that listens there are no streams; they are back with it", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account } = await api.addAccount();
    const browser = await signIn(api, account.userId);
    const changes = await openChanges(api, browser);
    await api.services.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
    );
    await changes.until('end {"reason":"not_listening"}');
    const again = await waitFor(() => openChanges(api, browser).catch(() => null), "a stream");
    await api.services.pool.query(LAST, [account.userId]);
    await again.until("files");
    again.close();
  });
  await withIdleApi(async (api) => {
    const { account } = await api.addAccount();
    t.match(await (await signIn(api, account.userId)).call("GET", EVENTS), { status: 503 });
  });
});

t.test("a payload that no trigger writes changes nothing", async (t) => {
  await withApi(async (api) => {
    await untilListening(api);
    const { account } = await api.addAccount();
    const changes = await openChanges(api, await signIn(api, account.userId));
    for (const payload of [
      "",
      account.userId,
      `${account.userId} nothing`,
      `${account.userId}  agents`,
      "x".repeat(5_000),
    ]) {
      await api.services.pool.query("select pg_notify('console_change', $1)", [payload]);
    }
    await api.services.pool.query(LAST, [account.userId]);
    await changes.until("files");
    t.strictSame(changes.nouns(), ["files"]);
    changes.close();
  });
});

t.test("each column that a watched table has is watched, or known not to be shown", async (t) => {
  /** Columns that no page shows, and those that change together with a watched one. */
  const UNSEEN: Readonly<Record<string, string>> = {
    accounts: "user_id created_at",
    agent_dynamics: "agent_id user_id agent_code revision is_charged made_revision updated_at",
    agent_models:
      "agent_id family charge_reference artifact_key artifact_sha256 rebake_version rebake_attempts rebake_tried_at replaced_key replaced_at requested_at",
    agents:
      "id user_id code revision image_url image_key voice_sample_url voice_sample_key created_at updated_at dynamics emotion manner",
    api_secrets: "id user_id secret_sha256 last_four created_at organization_id is_console unheld_since last_used_at",
    avatar_sessions:
      "id user_id secret_id launch_token_id transaction_id agent_code model family mode portrait_key is_self_hosted is_hosted has_conversation listens end_user_id remembers_visitor viewers_may_render viewers_render greeting emotion manner livekit_url room_name avatar_identity sealed_livekit_token dispatch_number lost_workers last_beat_seq last_message_seq message_bytes announced_at chat_deciseconds camera_deciseconds earlier_deciseconds served_deciseconds earlier_viewer_deciseconds viewer_deciseconds last_seen_at accepted_at created_at left_at vacant_since room_participants room_created_at open_segments",
    // A trigger of its own watches those of them that seldom change.
    avatar_workers:
      "id last_seen_at report_seq realtime_url host version light_sessions cores free_cores session_cores light_session_cores is_draining",
    knowledge_bases: "id organization_id user_id built_id artifact_key is_rebuild_wanted created_at",
    knowledge_files: "id organization_id ext object_key source_kind created_at",
    organization_members: "id organization_id created_at",
    organizations: "id created_at",
    videos:
      "id user_id agent_id agent_code family model input rate_credits canvas_width_px canvas_height_px width_px height_px enlargement bundle_key created_at ended_at",
    webhook_deliveries: "id number endpoint_id lane event_type body is_test created_at updated_at",
    webhook_endpoints: "id user_id family created_at updated_at",
  };
  await withIdleApi(async ({ services: { database } }) => {
    const { rows } = await sql<{ name: string; columns: string[]; definition: string }>`
      select class.relname as name, pg_get_triggerdef(watch.oid) as definition,
        (select array_agg(attname::text) from pg_attribute where attrelid = class.oid and attnum > 0 and not attisdropped) as columns
      from pg_trigger watch join pg_class class on class.oid = watch.tgrelid
      where watch.tgname like '%\\_tell\\_update' and pg_get_triggerdef(watch.oid) not like '%old.* %'`.execute(
      database,
    );
    t.strictSame(rows.map(({ name }) => name).toSorted(), Object.keys(UNSEEN).toSorted());
    for (const { name, columns, definition } of rows) {
      const watched = columns.filter((column) => new RegExp(`old\\.${column}\\b`).test(definition));
      const unseen = UNSEEN[name]?.split(" ") ?? [];
      t.strictSame(columns.toSorted(), [...new Set([...watched, ...unseen])].toSorted(), name);
    }
  });
});
