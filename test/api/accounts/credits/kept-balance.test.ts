// The stored balance equals the sum of the movements minus what running sessions have accrued.
import { sql } from "kysely";
import t from "tap";
import { createAccount } from "../../../../api/accounts/account-store.ts";
import { billingLinks } from "../../../../api/accounts/credits/billing-links.ts";
import {
  balanceOf,
  chargeCredits,
  grantCredits,
  lapsePlanCredits,
  refundCharge,
  setAccrued,
} from "../../../../api/accounts/credits/ledger.ts";
import { hasApiAccess } from "../../../../api/accounts/plans/free-plan.ts";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { migrate } from "../../../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../../../api/migrations/migrations.ts";
import { checkBalances } from "../../../../lab/soak/money/check-balances.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withApi, withIdleApi } from "../../../helpers/service/with-api.ts";

const at = new Date("2026-11-01T00:00:00Z");
const links = billingLinks("http://service.test");

const KEPT_BALANCES = ["0018-credit-balances"];
/** Reverts a database to the previous version. */
const DROP_KEPT_BALANCES = sql`
  drop trigger accounts_have_balances on accounts;
  drop trigger credit_movements_keep_balance on credit_movements;
  drop table credit_balances, credit_accruals;
  drop function add_credit_balance, keep_credit_balance, keep_accrued_credits, early_topup_change, pool_change;
  delete from schema_migrations where name = ${sql.lit(KEPT_BALANCES[0])};
`;

t.test("credits that running sessions have accrued cannot be spent again, and the balance shows it", async (t) => {
  await withApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "creator", credits: 510 });
    const agent_code = await addAgent(api.services, { userId: account.userId });
    const { body: exchange } = await api.call("POST", "/v1/runtime-tokens/request", { secret });
    const bearer = exchange.data.token;
    const begun = await api.call("POST", "/v1/runtime/sessions", { bearer, body: { agent_code, model: "essence-2" } });
    const created_at = new Date(Date.now() - 3_600_000);
    await api.services.database.updateTable("avatar_sessions").set({ created_at }).execute();
    const report = (path: string, body: object) =>
      api.call("POST", `/v1/runtime/sessions/${begun.body.session_id}/${path}`, { bearer, body });
    t.match((await report("beat", { seq: 1, served_seconds: 600 })).body, { ok: true, balance: 490 });

    const body = { prompt: "You are a test.", model: "essence-2" };
    const refused = await api.call("POST", "/v1/agent/generate", { secret, body });
    t.match(refused, { status: 402, body: { error: { message: /500 needed, 490 available/ } } });
    const model = { secret, body: { model: "expression-2" } };
    await api.services.database.updateTable("agents").set({ gallery_id: "any", subject: "person" }).execute();
    t.equal((await api.call("POST", `/v1/agent/${agent_code}/models`, model)).status, 402);
    const shown = async () => ({
      me: (await api.call("GET", "/v1/me", { secret })).body.data,
      summary: (await api.call("GET", "/v2/credit-summaries", { secret })).body.data,
    });
    const metrics = {
      me: { credit_balance: 490, plan_credits_remaining: 490 },
      summary: { balance: 490, plan_credits: 490, minutes_estimate: { essence_2_cloud: 122 } },
    };
    t.match(await shown(), metrics, "while it runs");
    t.match((await report("beat", { seq: 1, served_seconds: 600 })).body, { balance: 490 }, "a repeat adds nothing");
    t.match((await report("stop", { served_seconds: 600 })).body, { credits: 20 });
    t.match(await shown(), metrics, "and once it is charged");
    t.same(await api.services.database.selectFrom("credit_accruals").selectAll().execute(), []);
    t.same(await checkBalances(api.services.database), []);
  });
});

t.test("a stored balance is the sum of its movements and accruals", async (t) => {
  await withDatabase(async ({ database }) => {
    const { userId } = await moveCredits(database);
    t.same(await balanceOf(database, userId), {
      total: 33,
      pools: { plan: 0, reward: 0, topup: 33 },
      accruedCredits: 22,
    });
    t.same(await checkBalances(database), []);
    await t.rejects(
      sql`update credit_balances set accrued_credits = -1`.execute(database),
      /violates check constraint/,
      "accruals are never below zero",
    );
  });
});

t.test("a migrated database gets balances that equal the sums of its movements", async (t) => {
  await withDatabase(async ({ database, pool }) => {
    const { userId, account } = await moveCredits(database);
    const late = { userId, pool: "topup", reason: "r", at } as const;
    await grantCredits(database, { ...late, amountCredits: 7, reference: "early", at: new Date("2026-09-01") });
    await sql`
      insert into avatar_sessions (id, user_id, model, family, mode, livekit_url, room_name, avatar_identity,
        is_self_hosted, has_conversation, status, dispatch_number, served_deciseconds, last_seen_at, created_at)
      values ('cs_1', ${userId}, 'essence-2-quality', 'essence-2-quality', 'gpu', 'ws://x', 'r', 'a', false, false, 'live', 1, 1274, now(), now())
    `.execute(database);
    const read = () => database.selectFrom("credit_balances").selectAll().execute();
    await database.deleteFrom("credit_accruals").execute();
    const [before] = await read();
    // Several statements at once need the simple protocol.
    await pool.query(DROP_KEPT_BALANCES.compile(database).sql);
    t.same(await migrate(database, MIGRATIONS), KEPT_BALANCES);
    t.same(await read(), [{ ...before, accrued_credits: 16 }]);
    t.same(await checkBalances(database), []);
    t.equal(before.early_topup_credits, -3);
    t.notOk(await hasApiAccess(database, { ...account, plan: "free" }, at.getTime()));
  });
});

t.test("a part of a charge is refunded once, to the pool that was charged last first", async (t) => {
  await withIdleApi(async (api) => {
    const { database } = api.services;
    const { account } = await api.addAccount({ credits: 10 });
    const { userId } = account;
    const grant = { userId, reason: "r", at };
    await grantCredits(database, { ...grant, pool: "reward", amountCredits: 10, reference: "reward" });
    await grantCredits(database, { ...grant, pool: "topup", amountCredits: 10, reference: "topup" });
    await database.transaction().execute(async (transaction) => {
      const charge = { account, reason: "r", agentCode: null, at, links };
      await chargeCredits(transaction, { ...charge, amountCredits: 24, reference: "c" });
      const refund = { userId, chargeReference: "c", at };
      t.equal(await refundCharge(transaction, { ...refund, amountCredits: 7 }), true);
      t.equal(await refundCharge(transaction, { ...refund, amountCredits: 7 }), false);
      t.equal(await refundCharge(transaction, refund), false, "a later refund of all changes nothing");
    });
    t.same((await balanceOf(database, userId)).pools, { plan: 0, reward: 3, topup: 10 });
    t.same(await checkBalances(database), []);
  });
});

/** Grants, charges, refunds, lapses and accrues. Leaves 5 plan and 50 top-up credits, of which 22 are accrued. */
async function moveCredits(database: Database) {
  const account = await createAccount(database, { email: "a@b.test", plan: "creator", createdAt: at });
  if (!account) throw new Error("the address is taken");
  const { userId } = account;
  const grant = { userId, reason: "r", at };
  await grantCredits(database, { ...grant, pool: "plan", amountCredits: 100, reference: "plan" });
  await grantCredits(database, { ...grant, pool: "reward", amountCredits: 30, reference: "reward" });
  await grantCredits(database, { ...grant, pool: "topup", amountCredits: 60, reference: "topup" });
  await database.transaction().execute(async (transaction) => {
    const charge = { account, reason: "r", agentCode: null, at, links };
    await chargeCredits(transaction, { ...charge, amountCredits: 80, reference: "first" });
    await chargeCredits(transaction, { ...charge, amountCredits: 60, reference: "second" });
    await refundCharge(transaction, { userId, chargeReference: "first", at });
    await setAccrued(transaction, { userId, reference: "session:1", credits: 5 });
    await lapsePlanCredits(transaction, { userId, reference: "lapse", at });
    await setAccrued(transaction, { userId, reference: "session:1", credits: 22 });
    await setAccrued(transaction, { userId, reference: "session:2", credits: 3 });
    await setAccrued(transaction, { userId, reference: "session:2", credits: 0 });
  });
  return { userId, account };
}
