// Charges for realtime calls: each once, whatever relays report and however late.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import t from "tap";
import { balanceOf, relayOf, settled, UPSTREAM_ENVIRONMENT, usageOf } from "../../../helpers/service/relay-calls.ts";
import { withApi, withIdleApi } from "../../../helpers/service/with-api.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

/** Of tests in which reports must arrive in time. */
const SILENT_MS = 800;

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
    { environment: UPSTREAM_ENVIRONMENT },
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
    { environment: UPSTREAM_ENVIRONMENT },
  );
});

t.test("a late report of an ended call, which kept it locked while others were settled, settles it", async (t) => {
  await withIdleApi(
    async (api) => {
      const { open, report } = relayOf(api);
      const { secret } = await api.addAccount({ credits: 100 });
      const call: string = (await open(secret)).body.call_id;
      await sql`update realtime_calls set is_ended = true`.execute(api.services.database);
      await report({ [call]: 6 });
      await settled(api);
      t.equal(await balanceOf(api, secret), 99);
    },
    { environment: UPSTREAM_ENVIRONMENT },
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
    { environment: UPSTREAM_ENVIRONMENT, policies: { realtime: { silentMs: 300, sweepMs: 50 } } },
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
    { environment: UPSTREAM_ENVIRONMENT, policies: { realtime: { silentMs: SILENT_MS, sweepMs: 50 } } },
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
      { environment: UPSTREAM_ENVIRONMENT },
    );
  },
);
