// The months of a plan: each is granted once, the rest lapses, and a change of plan never grants a month twice.
import t from "tap";
import { setAccountStatus } from "../../../../api/accounts/account-store.ts";
import { billingLinks } from "../../../../api/accounts/credits/billing-links.ts";
import { balanceOf, chargeCredits, grantCredits } from "../../../../api/accounts/credits/ledger.ts";
import { openAccount } from "../../../../api/accounts/open-account.ts";
import { addMonths, changePlan, findRenewal, renewPlans } from "../../../../api/accounts/plans/plan-months.ts";
import { createPlanRenewal } from "../../../../api/accounts/plans/plan-renewal.ts";
import type { Plan } from "../../../../api/accounts/plans/plans.ts";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

const links = billingLinks("http://service.test");
const day = (text: string) => new Date(`${text}T12:00:00Z`);

function spend(database: Database, userId: string, amountCredits: number, reference: string): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const account = { userId, email: "", plan: "pro", status: "active", isRuntimeSuspended: false } as const;
    const charge = { amountCredits, reason: "r", reference, agentCode: null, at: new Date(), links, mayOverdraw: true };
    return chargeCredits(transaction, { ...charge, account: { ...account, createdAt: new Date() } });
  });
}

function setPlan(database: Database, userId: string, plan: Plan, now: Date): Promise<void> {
  return database.transaction().execute((transaction) => changePlan(transaction, { userId, plan, now }));
}

t.test("months begin on the same day, or on the last day of a shorter month", (t) => {
  const from = new Date("2026-01-31T22:30:00Z");
  t.equal(addMonths(from, 1).toISOString(), "2026-02-28T22:30:00.000Z");
  t.equal(addMonths(from, 2).toISOString(), "2026-03-31T22:30:00.000Z");
  t.equal(addMonths(from, 25).toISOString(), "2028-02-29T22:30:00.000Z");
  t.equal(addMonths(day("2026-03-15"), -4).toISOString(), "2025-11-15T12:00:00.000Z");
  t.end();
});

t.test(
  "each month grants the plan's credits once, even with several processes, and the previous rest lapses",
  async (t) => {
    await withDatabase(async ({ database }) => {
      const { userId } = await openAccount(database, { email: "a@b.test", plan: "creator", now: day("2026-01-31") });
      const pools = async () => (await balanceOf(database, userId)).pools;
      t.match(await pools(), { plan: 1800, topup: 0 });
      await grantCredits(database, {
        userId,
        pool: "topup",
        amountCredits: 50,
        reason: "r",
        reference: "bought",
        at: day("2026-02-01"),
      });
      await spend(database, userId, 300, "first");
      t.equal(await renewPlans(database, new Date("2026-02-28T11:59:59Z")), 0, "not before the month is over");
      t.match(await pools(), { plan: 1500 });
      const renewed = await Promise.all([1, 2, 3, 4].map(() => renewPlans(database, day("2026-02-28"))));
      t.equal(
        renewed.reduce((sum, count) => sum + count, 0),
        1,
      );
      t.match(await pools(), { plan: 1800, topup: 50 }, "1500 lapsed, 1800 came, the top-up stays");
      t.same(await findRenewal(database, userId), day("2026-03-31"), "the day comes back after a short month");

      await spend(database, userId, 1855, "over");
      t.match(await pools(), { plan: -5, topup: 0 });
      t.equal(await renewPlans(database, day("2026-08-10")), 1, "of missed months only the current one is granted");
      t.match(await pools(), { plan: 1795 }, "a debt is paid from it");
      t.same(await findRenewal(database, userId), day("2026-08-31"));

      await setAccountStatus(database, userId, "suspended");
      t.equal(await renewPlans(database, day("2026-09-01")), 0, "a suspended account waits");
      await setAccountStatus(database, userId, "active");
      t.equal(await renewPlans(database, day("2026-09-02")), 1);
      const { rest } = await database
        .selectFrom("credit_postings")
        .select((posting) => posting.fn.sum<number>("amount_credits").as("rest"))
        .executeTakeFirstOrThrow();
      t.equal(Number(rest), 0, "the books sum to zero");
    });
  },
);

t.test("a change of plan adds the credits that the month lacks, and never grants a month twice", async (t) => {
  await withDatabase(async ({ database }) => {
    const { userId } = await openAccount(database, { email: "a@b.test", plan: "creator", now: day("2026-01-10") });
    const plan = async () => (await balanceOf(database, userId)).pools.plan;
    await setPlan(database, userId, "pro", day("2026-01-12"));
    t.equal(await plan(), 10_000);
    await setPlan(database, userId, "creator", day("2026-01-13"));
    await setPlan(database, userId, "pro", day("2026-01-14"));
    t.equal(await plan(), 10_000, "up and down and up brings nothing more");
    await setPlan(database, userId, "custom", day("2026-01-15"));
    t.equal(await findRenewal(database, userId), null, "a plan without credits does not renew");
    t.equal(await renewPlans(database, day("2026-06-01")), 0);
    await setPlan(database, userId, "pro", day("2026-01-16"));
    t.equal(await plan(), 10_000, "nor does leaving and coming back");
    t.same(await findRenewal(database, userId), day("2026-02-16"));
    await setPlan(database, userId, "creator", day("2026-02-17"));
    t.equal(await plan(), 1800, "a change after the month's end begins the next one");
    t.equal(await renewPlans(database, day("2026-02-17")), 0);
    t.same(await findRenewal(database, userId), day("2026-03-16"));
  });
});

t.test("initial credits from the operator do not renew", async (t) => {
  await withDatabase(async ({ database }) => {
    const { userId } = await openAccount(database, {
      email: "a@b.test",
      plan: "pro",
      credits: 30,
      now: day("2026-01-01"),
    });
    t.equal(await renewPlans(database, day("2027-01-01")), 0);
    t.equal((await balanceOf(database, userId)).total, 30);
  });
});

t.test("an api renews at its start the plans that became due while none ran", async (t) => {
  await withIdleApi(async (api) => {
    const { database } = api.services;
    const { userId } = await openAccount(database, { email: "a@b.test", plan: "pro", now: day("2026-01-10") });
    await spend(database, userId, 4000, "some");
    const renewal = createPlanRenewal({ ...api.services, now: () => day("2026-02-11").getTime() });
    await renewal.start();
    await renewal.close();
    t.equal((await balanceOf(database, userId)).total, 10_000);
  });
});

t.test("the ledger refuses changes, movements without an account, and amounts that are not positive", async (t) => {
  await withDatabase(async ({ database }) => {
    const { userId } = await openAccount(database, { email: "a@b.test", plan: "creator", now: day("2026-01-10") });
    await t.rejects(database.updateTable("credit_movements").set({ amount_credits: 1 }).execute(), /only ever added/);
    await t.rejects(database.deleteFrom("credit_movements").execute(), /only ever added/);
    const movement = { user_id: userId, reason: "r", reference: "r", agent_code: null, created_at: new Date() };
    const insert = (values: {
      from_account: "plan" | "sold";
      to_account: "plan" | "reward" | "income";
      amount_credits: number;
    }) =>
      database
        .insertInto("credit_movements")
        .values({ ...movement, ...values })
        .execute();
    await t.rejects(
      insert({ from_account: "plan", to_account: "reward", amount_credits: 1 }),
      /between_pool_and_house/,
    );
    await t.rejects(insert({ from_account: "plan", to_account: "plan", amount_credits: 1 }), /between_pool_and_house/);
    await t.rejects(
      insert({ from_account: "sold", to_account: "income", amount_credits: 1 }),
      /between_pool_and_house/,
    );
    await t.rejects(insert({ from_account: "plan", to_account: "income", amount_credits: 0 }), /check/);
    await t.rejects(insert({ from_account: "plan", to_account: "income", amount_credits: -1 }), /check/);
  });
});
