// Realtime calls as a relay asks the api about them: opening, billing, stops and hangups.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import t from "tap";
import { countRelays, hasRelay, noteRelay, removeRelay } from "../../../api/realtime/relay-registry.ts";
import { mintRelayToken, mintWorkerToken } from "../../../shared/worker-token.ts";
import { type TestApi, withApi, withIdleApi } from "../../helpers/service/with-api.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const UPSTREAMS = JSON.stringify([
  { name: "gpt-realtime-mini", base_url: "http://127.0.0.1:9/v1/", api_key: "sk-secret" },
  { name: "big/model", base_url: "https://cloud.example/v1", model: "large", plan: "business" },
]);
const environment = { AVATAR_REALTIME_UPSTREAMS: UPSTREAMS };
const RELAY = randomUUID();
/** Of tests in which reports must arrive in time. */
const SILENT_MS = 800;

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

const balanceOf = async (api: TestApi, secret: string): Promise<number> =>
  (await api.call("GET", "/v2/credit-summaries", { secret })).body.data.balance;
/** Calls that ended are settled after the relay was answered. */
const settled = (api: TestApi): Promise<unknown> =>
  waitFor(async () => {
    const ended = await api.services.database
      .selectFrom("realtime_calls")
      .select("id")
      .where("is_ended", "=", true)
      .execute();
    return ended.length === 0;
  }, "ended calls to be settled");
const usageOf = async (api: TestApi, secret: string) => (await api.call("GET", "/v1/usage", { secret })).body.data;

/** A worker with this many realtime slots. */
async function addWorker(api: TestApi, slots: number): Promise<void> {
  await api.services.database
    .insertInto("avatar_workers")
    .values({
      id: randomUUID(),
      providers: ["cpu"],
      active_sessions: 0,
      max_sessions: 1,
      last_seen_at: new Date(api.clock.now()),
      relay_url: "ws://127.0.0.1:9/v1/realtime",
      realtime_slots: slots,
    })
    .execute();
}

t.test("a call needs a relay's token, a credential, a model, a plan and credits, in this order", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open } = relayOf(api);
      const bearer = await mintWorkerToken(api.services.livekit, { workerId: randomUUID() });
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
      t.match(await open(rich.secret, "service-realtime"), { status: 503 }, "no worker takes calls");
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

t.test("a call that names no model goes to gpt-realtime-mini, else to the first server, else to our own", async (t) => {
  const entry = (name: string) => ({ name, base_url: `http://127.0.0.1:9/${name}` });
  const cases: [object[], string][] = [
    [[entry("other"), entry("gpt-realtime-mini")], "gpt-realtime-mini"],
    [[entry("first"), entry("second")], "first"],
    [[], "service-realtime"],
  ];
  for (const [upstreams, model] of cases) {
    const listed = { AVATAR_REALTIME_UPSTREAMS: JSON.stringify(upstreams) };
    await withIdleApi(
      async (api) => {
        await addWorker(api, 4);
        const { secret } = await api.addAccount({ credits: 10 });
        const { open } = relayOf(api);
        t.match(await open(secret), { status: 200, body: { model } });
        if (upstreams.length > 0) return;
        const refused = await open(secret, "gpt-realtime-mini");
        t.match(
          refused,
          { status: 503, body: { error: { message: /service-realtime/ } } },
          "by its name, it is refused",
        );
        t.match(refused.headers.get("retry-after"), /^\d+$/);
      },
      { environment: upstreams.length > 0 ? listed : {} },
    );
  }
});

t.test("our own server is reached with the worker's credential and what the agent is", async (t) => {
  await withIdleApi(async (api) => {
    const { secret } = await api.addAccount({ credits: 10 });
    await addWorker(api, 16);
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
      const balance = () => balanceOf(api, secret);
      const first: string = (await open(secret)).body.call_id;
      await report({ [first]: 29.94 });
      t.equal(await balance(), 96, "credits of a running call count as spent: 29.9 s are 4.98");
      await report({ [first]: 29.94 });
      await report({ [first]: 12 });
      t.equal(await balance(), 96, "repeated and late reports change nothing");
      await report({}, { [first]: 33 });
      await report({}, { [first]: 33 });
      await settled(api);
      t.equal(await balance(), 95, "33 s are 5.5 credits, charged once");
      const second: string = (await open(secret)).body.call_id;
      await report({}, { [second]: 3 });
      await settled(api);
      t.equal(await balance(), 94, "with the carry of the first call");
      const third: string = (await open(secret)).body.call_id;
      await report({}, { [third]: 0 });
      await settled(api);
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
      const { secret } = await api.addAccount({ plan: "business", credits: 1_000 });
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
        await settled(api);
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

t.test("a call of a silent relay is settled at what was last told", async (t) => {
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

t.test("a call that is reported is not settled as silent, whatever the clock of an api process says", async (t) => {
  await withApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { database } = api.services;
      const { secret } = await api.addAccount({ credits: 100 });
      const call: string = (await open(secret)).body.call_id;
      api.clock.hold();
      api.clock.advance(60_000);
      for (let round = 0; round < 10; round++) {
        t.same((await report({ [call]: 18 })).body.stop, []);
        await delay(100);
      }
      // A report that is being stored when the call has just become silent.
      await database.transaction().execute(async (transaction) => {
        await sql`select id from realtime_calls for update`.execute(transaction);
        await delay(2 * SILENT_MS);
        await sql`update realtime_calls set last_seen_at = clock_timestamp()`.execute(transaction);
      });
      await delay(SILENT_MS / 2);
      t.same((await report({ [call]: 21 })).body.stop, []);
      t.same(await usageOf(api, secret), [], "it was never settled");
    },
    { environment, policies: { realtime: { silentMs: SILENT_MS, sweepMs: 50 } } },
  );
});

t.test(
  "a relay is answered before its ended calls are settled, each once, however often it reports them",
  async (t) => {
    await withIdleApi(
      async (api) => {
        const { open, report } = relayOf(api);
        const { database } = api.services;
        const { secret } = await api.addAccount({ plan: "custom", credits: 1_000 });
        const call: string = (await open(secret)).body.call_id;
        await sql`
        insert into realtime_calls (id, user_id, secret_id, relay_id, model, started_at, last_seen_at)
        select 'rtc_' || number, user_id, secret_id, relay_id, model, now(), now()
        from realtime_calls, generate_series(1, 399) as number
      `.execute(database);
        const ids = [call, ...Array.from({ length: 399 }, (_, index) => `rtc_${index + 1}`)];
        const ended = Object.fromEntries(ids.map((id) => [id, 6]));
        const answers = await Promise.all([1, 2, 3].map(() => report({}, ended)));
        t.same(
          answers.map(({ status }) => status),
          [200, 200, 200],
        );
        const left = await database.selectFrom("realtime_calls").select("id").execute();
        t.ok(left.length > 200, `${left.length} of 400 are to be settled when all reports are answered`);
        t.equal(await balanceOf(api, secret), 600, "their credits are spent by then");
        await settled(api);
        t.equal(await balanceOf(api, secret), 600);
        const rows = await database
          .selectFrom("credit_movements")
          .select("id")
          .where("to_account", "=", "income")
          .execute();
        t.equal(rows.length, 400);
      },
      { environment },
    );
  },
);

t.test("open calls of an account are bounded by its plan, from their opening on", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ plan: "creator", credits: 1_000 });
      const other = await api.addAccount({ plan: "creator", credits: 1_000 });
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          open(secret, null, { transport: index % 2 === 0 ? "webrtc" : "websocket" }),
        ),
      );
      const opened = answers.filter(({ status }) => status === 200).map(({ body }): string => body.call_id);
      t.equal(opened.length, 3, "however many are opened at once, and none is connected yet");
      const refused = answers.filter(({ status }) => status !== 200);
      for (const { status, body, headers } of refused) {
        t.match(body, { error: { code: "SERVICE_UNAVAILABLE", message: /3\/3/, details: { limit: 3, running: 3 } } });
        t.equal(status, 503);
        t.match(headers.get("retry-after"), /^\d+$/);
      }
      t.equal((await open(other.secret)).status, 200, "another account is not concerned");
      await report({}, { [opened[0]]: 1 });
      t.equal((await open(secret)).status, 200, "an ended call is free at once");
      t.equal((await open(secret)).status, 503);
      const operator = await api.addAccount({ plan: "custom" });
      const many = await Promise.all(Array.from({ length: 12 }, () => open(operator.secret)));
      t.ok(
        many.every(({ status, body }) => status === 200 && body.limit_seconds === undefined),
        "the operator's own plan",
      );
    },
    { environment },
  );
});

t.test(
  "a transcription call is free, bounded by the plan, and leads to our own recogniser whatever its model",
  async (t) => {
    await withIdleApi(
      async (api) => {
        const { open, report } = relayOf(api);
        await addWorker(api, 16);
        const { secret } = await api.addAccount({ plan: "creator", credits: 0 });
        const query = { intent: "transcription", agent: "A00AAA0000", mode: "text", voice: "nobody" };
        t.equal((await open(secret)).status, 402, "any other call costs credits");
        const calls: string[] = [];
        for (const model of ["gpt-4o-mini-transcribe", "gpt-realtime-mini", null]) {
          const { status, body } = await open(secret, model, { query });
          t.match({ status, body }, { status: 200, body: { model: "service-realtime" } }, String(model));
          t.equal(body.limit_seconds, undefined);
          const session = JSON.parse(Buffer.from(body.upstream.headers["X-Service-Session"], "base64url").toString());
          t.same(Object.keys(session).sort(), ["mode", "user"], "no agent, no instructions");
          t.equal(session.mode, "transcription");
          calls.push(body.call_id);
        }
        t.match(await open(secret, null, { query }), { status: 503, body: { error: { details: { limit: 3 } } } });
        const running = Object.fromEntries(calls.map((id) => [id, 600]));
        t.match(await report(running), { status: 200, body: { stop: [], limits: [] } });
        await report({}, running);
        await settled(api);
        t.same((await api.call("GET", "/v1/usage", { secret })).body.data, []);
        t.equal(await balanceOf(api, secret), 0);
        t.match(await open(secret, null, { query: { ...query, language: "1" } }), { status: 400 });
      },
      { environment },
    );
  },
);

t.test("transcription calls count for the account's write tier", async (t) => {
  await withIdleApi(async (api) => {
    await addWorker(api, 16);
    const { secret } = await api.addAccount({ plan: "creator", credits: 0 });
    // The tier refills with time.
    api.clock.hold();
    const query = { intent: "transcription" };
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) {
      const caller = { ip: `192.0.2.${count}`, headers: { "api-secret": secret } };
      statuses.push((await relayOf(api).open(null, null, { query, caller })).status);
    }
    t.equal(statuses.filter((status) => status !== 429).length, 60);
    t.equal(statuses.at(-1), 429);
  });
});

t.test("calls at once share the credits, and spend no more than there are", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ credits: 3 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => open(secret)));
      const opened = answers.filter(({ status }) => status === 200).map(({ body }) => body);
      t.same(
        opened.map(({ limit_seconds: limit }) => limit).toSorted((a, b) => a - b),
        [6, 9, 18],
      );
      t.equal(answers.filter(({ status }) => status === 503).length, 7, "a credit is left for each open call");
      const ids = opened.map(({ call_id }): string => call_id);
      const told = (seconds: number) => Object.fromEntries(ids.map((id) => [id, seconds]));
      const { body } = await report(told(2));
      t.same(
        body.limits,
        ids.map((call_id) => ({ call_id, seconds: 6 })),
        "what is left, in equal parts",
      );
      t.same(body.stop, []);
      const late = await report({ [ids[0]]: 5.9, [ids[1]]: 5.9, [ids[2]]: 6.2 });
      t.same(
        late.body.stop.map(({ reason }: { reason: string }) => reason),
        ["balance_exhausted", "balance_exhausted", "balance_exhausted"],
      );
      await report({}, told(6));
      await settled(api);
      t.equal(await balanceOf(api, secret), 0);
      const rich = await api.addAccount({ credits: 10_000 });
      t.equal((await open(rich.secret)).body.limit_seconds, undefined, "a call lasts an hour at most anyway");
    },
    { environment },
  );
});

t.test("no account takes more than half of the workers' realtime slots, or of a relay's ports", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open } = relayOf(api);
      await addWorker(api, 3);
      await addWorker(api, 2);
      const accounts = await Promise.all([1, 2].map(() => api.addAccount({ credits: 1_000 })));
      const openAll = async (secret: string, model: string, more: object) => {
        const answers = await Promise.all(Array.from({ length: 6 }, () => open(secret, model, more)));
        t.ok(answers.every(({ status, headers }) => status === 200 || headers.has("retry-after")));
        return answers.filter(({ status }) => status === 200).length;
      };
      for (const { secret } of accounts) t.equal(await openAll(secret, "service-realtime", {}), 2);
      const offer = { transport: "webrtc", webrtc_ports: 7 };
      for (const { secret } of accounts) t.equal(await openAll(secret, "gpt-realtime-mini", offer), 3);
      t.equal((await open(accounts[0].secret)).status, 200, "others are not scarce");
    },
    { environment },
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

t.test("a relay is present for 12 s after its report, by the clock that all api processes share", async (t) => {
  await withIdleApi(async ({ services: { database } }) => {
    await noteRelay(database, RELAY);
    t.ok(await hasRelay(database));
    const setAge = (seconds: number) =>
      sql`update realtime_relays set last_seen_at = now() - make_interval(secs => ${seconds})`.execute(database);
    await setAge(11);
    t.equal(await countRelays(database), 1);
    await setAge(13);
    t.same([await countRelays(database), await hasRelay(database)], [0, false]);
    await noteRelay(database, randomUUID());
    t.equal((await database.selectFrom("realtime_relays").selectAll().execute()).length, 1, "the silent one is gone");
  });
});
