// Realtime calls as a relay asks the api about them: opening, billing, stops and hangups.
import { randomUUID } from "node:crypto";
import t from "tap";
import { removeRelay } from "../../../api/realtime/relay-registry.ts";
import { mintRelayToken, mintWorkerToken } from "../../../shared/worker-token.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/with-api.ts";

const UPSTREAMS = JSON.stringify([
  { name: "gpt-realtime-mini", base_url: "http://127.0.0.1:9/v1/", api_key: "sk-secret" },
  { name: "big/model", base_url: "https://cloud.example/v1", model: "large", plan: "business" },
]);
const environment = { AVATAR_REALTIME_UPSTREAMS: UPSTREAMS };
const RELAY = randomUUID();

/** Requests of one relay. */
function relayOf(api: TestApi, relayId = RELAY) {
  const post = async (path: string, body: object) => {
    const bearer = await mintRelayToken(api.services.livekit);
    return api.call("POST", `/v1/runtime/realtime/${path}`, { bearer, body });
  };
  return {
    open: (secret: string | null, model: string | null = null, more: object = {}) =>
      post("calls", {
        relay_id: relayId,
        caller: { ip: "192.0.2.7", headers: secret === null ? {} : { "api-secret": secret } },
        model,
        query: {},
        transport: "websocket",
        ...more,
      }),
    report: (running: Record<string, number>, ended: Record<string, number> = {}, isDraining = false) => {
      const list = (calls: Record<string, number>) =>
        Object.entries(calls).map(([call_id, seconds]) => ({ call_id, seconds }));
      return post("reports", {
        relay_id: relayId,
        running: list(running),
        ended: list(ended),
        is_draining: isDraining,
      });
    },
    hangUp: (secret: string, call_id: string) =>
      post("hangups", { caller: { ip: "192.0.2.7", headers: { "api-secret": secret } }, call_id }),
  };
}

const usageOf = async (api: TestApi, secret: string) => (await api.call("GET", "/v1/usage", { secret })).body.data;

t.test("a call needs a relay's token, a credential, a model, a plan and credits, in this order", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open } = relayOf(api);
      const bearer = await mintWorkerToken(api.services.livekit);
      const stranger = await api.call("POST", "/v1/runtime/realtime/reports", {
        bearer,
        body: { relay_id: RELAY, running: [], ended: [], is_draining: false },
      });
      t.equal(stranger.status, 401, "a worker is no relay");
      const poor = await api.addAccount({ credits: 0 });
      const rich = await api.addAccount({ credits: 100 });
      t.match(await open(null), { status: 401, body: { error: { code: "MISSING_AUTH" } } });
      t.match(await open("wrong"), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
      t.match(await open(poor.secret, "other"), { status: 400, body: { error: { message: /gpt-realtime-mini/ } } });
      t.match(await open(poor.secret, "big/model"), {
        status: 403,
        body: { error: { code: "PLAN_REQUIRED", upgrade_url: /^http/ } },
      });
      t.match(await open(poor.secret), { status: 402, body: { error: { topup_url: /^http/ } } });
      t.match(await open(rich.secret, "service-realtime"), { status: 503 }, "no worker serves calls");
      const opened = await open(rich.secret);
      t.match(opened, {
        status: 200,
        body: {
          call_id: /^rtc_/,
          model: "gpt-realtime-mini",
          upstream: {
            url: "ws://127.0.0.1:9/v1/realtime?model=gpt-realtime-mini",
            headers: { authorization: "Bearer sk-secret" },
          },
        },
      });
      const caller = { ip: "192.0.2.7", headers: { authorization: `Bearer ${rich.secret}` } };
      t.equal((await open(null, null, { caller })).status, 200, "the secret as Bearer");
      const business = await api.addAccount({ plan: "business", credits: 5 });
      t.match(await open(business.secret, "big/model"), {
        body: { upstream: { url: "wss://cloud.example/v1/realtime?model=large", model: "large" } },
      });
    },
    { environment },
  );
});

t.test("without a server of the default model, a call that names none is refused for now", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 10 });
    const refused = await relayOf(api).open(secret);
    t.match(refused, { status: 503, body: { error: { message: /service-realtime/ } } });
    t.match(refused.headers.get("retry-after"), /^\d+$/);
  });
});

t.test("our own server is reached with the worker's credential and what the agent is", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 10 });
    await api.services.database
      .insertInto("avatar_workers")
      .values({
        id: randomUUID(),
        providers: ["cpu"],
        active_sessions: 0,
        max_sessions: 1,
        last_seen_at: new Date(api.clock.now()),
        realtime_url: "ws://127.0.0.1:9/v1/realtime",
      })
      .execute();
    const query = { voice: "M2", language: "de", mode: "text", model: "x", call_id: "y" };
    const { status, body } = await relayOf(api).open(secret, "service-realtime", { query });
    t.equal(status, 200);
    t.equal(body.upstream.url, "ws://127.0.0.1:9/v1/realtime?voice=M2&language=de");
    t.match(body.upstream.headers.authorization, /^Bearer eyJ/);
    const session = JSON.parse(Buffer.from(body.upstream.headers["X-Service-Session"], "base64url").toString());
    t.match(session, { mode: "text" });
    const other = await relayOf(api).open(secret, "service-realtime", { query: { agent: "A00AAA0000" } });
    t.match(other, { status: 404, body: { error: { message: /^Agent not found/ } } });

    const text = await relayOf(api).open(secret, null, { query: { mode: "text" } });
    t.match(text, { status: 200, body: { model: "service-realtime" } }, "text mode needs no model");
    for (const [name, value] of Object.entries({ voice: "nobody", language: "1", mode: "video" })) {
      const refused = await relayOf(api).open(secret, "service-realtime", { query: { [name]: value } });
      t.match(
        refused,
        { status: 400, body: { error: { code: "VALIDATION_ERROR", message: new RegExp(value) } } },
        name,
      );
    }
  });
});

t.test("a call is billed once, to the tenth of a second, floored, and the rest is carried over", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ credits: 100 });
      const balance = async () => (await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance;
      const first: string = (await open(secret)).body.call_id;
      await report({ [first]: 29.94 });
      t.equal(await balance(), 96, "credits of a running call count as spent: 29.9 s are 4.98");
      await report({ [first]: 29.94 });
      await report({ [first]: 12 });
      t.equal(await balance(), 96, "repeated and late reports change nothing");
      await report({}, { [first]: 33 });
      await report({}, { [first]: 33 });
      t.equal(await balance(), 95, "33 s are 5.5 credits, charged once");
      const second: string = (await open(secret)).body.call_id;
      await report({}, { [second]: 3 });
      t.equal(await balance(), 94, "with the carry of the first call");
      const third: string = (await open(secret)).body.call_id;
      await report({}, { [third]: 0 });
      t.match(await usageOf(api, secret), [
        { activity_type: "realtime_call", pricing_code: "usage_realtime_call", credits_change: 1, agent_code: null },
        { activity_type: "realtime_call", credits_change: 5 },
      ]);
      const left = await api.services.database.selectFrom("realtime_calls").selectAll().execute();
      t.same(left, [], "nothing else is kept about a call");
    },
    { environment },
  );
});

t.test("reports that cross each other charge every call once", async (t) => {
  await withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount({ credits: 1_000 });
      const relays = [relayOf(api, randomUUID()), relayOf(api, randomUUID())];
      for (let round = 0; round < 3; round++) {
        const all = await Promise.all(
          relays.map(async ({ open }) => {
            const opened = await Promise.all(Array.from({ length: 6 }, () => open(secret)));
            return opened.map(({ body }): string => body.call_id);
          }),
        );
        const told = (ids: string[], seconds: number) => Object.fromEntries(ids.map((id) => [id, seconds]));
        await Promise.all(
          relays.flatMap(({ report }, index) => [
            report(told(all[index], 6)),
            report(told(all[index].toReversed(), 12)),
            report(told(all[index].slice(3), 18), told(all[index].slice(0, 3), 18)),
            report({}, told(all[index].toReversed(), 18)),
            report({}, told(all[index], 18)),
          ]),
        ).then((answers) => t.same([...new Set(answers.map(({ status }) => status))], [200]));
      }
      const rows = (await api.call("GET", "/v1/usage?limit=200", { secret })).body.data;
      t.same(
        rows.map((row: { credits_change: number }) => row.credits_change),
        Array(36).fill(3),
      );
      const { body } = await api.call("GET", "/v2/credit-summaries", { secret });
      t.equal(body.data.balance, 1_000 - 36 * 3, "nothing is left accrued");
    },
    { environment },
  );
});

t.test("calls are stopped: balance gone, secret revoked, account suspended, hung up, unknown", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report, hangUp } = relayOf(api);
      const { database } = api.services;
      const poor = await api.addAccount({ credits: 2 });
      const revoked = await api.addAccount({ credits: 9 });
      const suspended = await api.addAccount({ credits: 9 });
      const caller = await api.addAccount({ credits: 9 });
      const ids: string[] = [];
      for (const { secret } of [poor, revoked, suspended, caller]) ids.push((await open(secret)).body.call_id);
      const running = Object.fromEntries(ids.map((id) => [id, 11]));
      t.same((await report(running)).body.stop, []);
      const revokedAt = new Date();
      const { userId } = revoked.account;
      await database.updateTable("api_secrets").set({ revoked_at: revokedAt }).where("user_id", "=", userId).execute();
      const stopped = { status: "suspended" } as const;
      await database.updateTable("accounts").set(stopped).where("user_id", "=", suspended.account.userId).execute();
      t.equal((await hangUp(poor.secret, ids[3])).status, 404, "a stranger's hangup");
      t.equal((await hangUp(caller.secret, "rtc_other")).status, 404);
      t.same((await hangUp(caller.secret, ids[3])).body, { ok: true });
      const elsewhere = await relayOf(api, randomUUID()).report({ [ids[0]]: 12 });
      t.match(elsewhere.body.stop, [{ reason: "unknown" }], "another relay's call");
      const { body } = await report({ ...Object.fromEntries(ids.map((id) => [id, 12.1])), rtc_lost: 5 });
      const reasons = body.stop.map(({ reason }: { reason: string }) => reason);
      t.same(reasons, ["balance_exhausted", "secret_revoked", "account_suspended", "hung_up", "unknown"]);
      await report({}, Object.fromEntries(ids.map((id) => [id, 12.1])));
      t.equal((await hangUp(caller.secret, ids[3])).status, 200, "repeated after the end");
      t.equal((await hangUp(poor.secret, ids[3])).status, 404, "still a stranger's");
    },
    { environment },
  );
});

t.test("a call whose relay went silent is settled at what was last told", async (t) => {
  await withApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ credits: 100 });
      const call: string = (await open(secret)).body.call_id;
      await report({ [call]: 18 });
      await waitFor(async () => (await usageOf(api, secret)).length === 1, "the settled call");
      t.match(await usageOf(api, secret), [{ credits_change: 3 }]);
      t.same((await report({ [call]: 24 })).body.stop, [{ call_id: call, reason: "unknown" }]);
      await report({}, { [call]: 24 });
      t.match(await usageOf(api, secret), [{ credits_change: 3 }], "it is not charged again");
    },
    { environment, policies: { realtime: { silentMs: 300, sweepMs: 50 } } },
  );
});

t.test("prices and readiness tell whether a relay is there", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount();
    const { report } = relayOf(api);
    const state = async () => ({
      isAvailable: (await api.call("GET", "/v1/pricing", { secret })).body.data.realtime.available,
      relays: (await api.call("GET", "/readyz")).body.checks.relays,
    });
    const pricing = (await api.call("GET", "/v1/pricing", { secret })).body.data.realtime;
    t.match(pricing.hosted.relay_line, { pricing_code: "usage_realtime_call", rate: 10 });
    t.same(await state(), { isAvailable: false, relays: "away" });
    await report({});
    await waitFor(async () => (await state()).relays === "ok", "the relay");
    t.equal((await state()).isAvailable, true);
    await report({}, {}, true);
    await waitFor(async () => (await state()).relays === "away", "no relay");
    await removeRelay(api.services.database, RELAY);
  });
});
