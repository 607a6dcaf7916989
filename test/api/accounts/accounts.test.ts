// Accounts: authentication, refusals, and that credits change exactly once.
import t from "tap";
import { createAccount } from "../../../api/accounts/account-store.ts";
import { billingLinks } from "../../../api/accounts/credits/billing-links.ts";
import { balanceOf, chargeCredits, grantCredits, refundCharge } from "../../../api/accounts/credits/ledger.ts";
import { ensureOperatorAccount, OPERATOR_EMAIL } from "../../../api/accounts/operator-account.ts";
import { addSecret, findBySecret, revokeSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { withDatabase } from "../../helpers/servers/with-database.ts";
import { withIdleApi } from "../../helpers/service/with-api.ts";

const at = new Date("2026-11-01T00:00:00Z");
const links = billingLinks("http://service.test");

t.test("POST /v1/validate always answers 200", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    t.equal(secret.length, 65);
    const ask = async (options: { secret?: string; bearer?: string }) => {
      const { status, body } = await api.call("POST", "/v1/validate", options);
      t.equal(status, 200);
      return body;
    };
    t.same(await ask({ secret }), { valid: true });
    t.same(await ask({ secret: `${secret}x` }), { valid: false });
    t.same(await ask({}), { valid: false });
    t.same(await ask({ bearer: secret }), { valid: false }, "Bearer is not read");
    t.ok(await revokeSecret(api.services.database, account.userId, "test", at));
    t.same(await ask({ secret }), { valid: false }, "a revoked secret is not valid");
  });
});

t.test("a REST route refuses a missing, wrong or revoked secret, and more than 30 failures a minute", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const path = "/v1/runtime-sessions/cs_none";
    t.match(await api.call("GET", path), { status: 401, body: { error: { code: "MISSING_AUTH" } } });
    t.match(await api.call("GET", path, { bearer: secret }), {
      status: 401,
      body: { error: { code: "MISSING_AUTH" } },
    });
    t.match(await api.call("GET", path, { secret: "wrong" }), {
      status: 401,
      body: { error: { code: "UNAUTHORIZED" } },
    });
    t.match(await api.call("GET", path, { secret }), { status: 404, body: { error: { code: "NOT_FOUND" } } });
    await revokeSecret(api.services.database, account.userId, "test", at);
    t.match(await api.call("GET", path, { secret }), { status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    const tokenPath = "/v1/runtime-tokens/mint";
    t.match(
      await api.call("POST", tokenPath, { secret, body: { agent_code: "x" } }),
      { status: 403, body: { error: { code: "RUNTIME_SUSPENDED" } } },
      "a token endpoint has a code of its own for a revoked secret",
    );
    const fresh = await api.addAccount();
    const answers = await Promise.all(Array.from({ length: 40 }, () => api.call("GET", path, { secret: "wrong" })));
    const refused = answers.filter(({ status }) => status === 429);
    t.ok(refused.length >= 10 && refused.length < 20, `${refused.length} of 40 more are refused`);
    t.match(refused[0].body, { error: { code: "RATE_LIMITED" } });
    t.ok(Number(refused[0].headers.get("retry-after")) >= 1);
    t.equal((await api.call("GET", path, { secret: fresh.secret })).status, 404, "a good secret still gets in");
  });
});

t.test("an account's secrets share a tier's limit, and the headers show what remains", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "creator" });
    const { database } = api.services;
    const second = await addSecret(database, { userId: account.userId, alias: "second", createdAt: at });
    const path = "/v1/runtime-sessions/cs_none/end";
    const first = await api.call("POST", path, { secret });
    t.match(Object.fromEntries(first.headers), { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "9" });
    t.ok(Number(first.headers.get("x-ratelimit-reset")) > Date.now() / 1000);
    for (let call = 0; call < 9; call++) await api.call("POST", path, { secret: call % 2 ? secret : second });
    const refused = await api.call("POST", path, { secret: second });
    t.match(refused, { status: 429, body: { error: { code: "RATE_LIMITED", message: /generate tier.*\d+ s/ } } });
    t.equal(refused.headers.get("x-ratelimit-remaining"), "0");
    t.ok(Number(refused.headers.get("retry-after")) >= 5, "one request comes back every 6 s");
    t.equal((await api.call("GET", "/v1/runtime-sessions/x", { secret })).status, 404, "another tier is not touched");
    t.equal((await api.call("POST", "/v1/validate", { secret })).headers.get("x-ratelimit-limit"), null);
  });
});

t.test("Free accounts get a notice before 2026-10-19 and are refused from then on", async (t) => {
  const exchange = "/v1/runtime-tokens/request";
  await withIdleApi(
    async (api) => {
      const { secret } = await api.addAccount({ plan: "free" });
      const answer = await api.call("POST", exchange, { secret });
      t.equal(answer.status, 200);
      t.equal(answer.headers.get("x-service-plan-notice"), answer.body.data.plan_notice);
      t.match(answer.body.data.plan_notice, /19 October 2026/);
    },
    { environment: { AVATAR_NOW: "2026-10-18T23:00:00Z" } },
  );
  await withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: "free" });
      const refused = await api.call("POST", exchange, { secret });
      t.match(refused, { status: 403, body: { error: { code: "PLAN_REQUIRED", upgrade_url: /^http/ } } });
      const { database } = api.services;
      const bought = { userId: account.userId, pool: "topup", amountCredits: 100, reason: "topup" } as const;
      await grantCredits(database, { ...bought, reference: "late", at: new Date("2026-09-28T00:00:00Z") });
      t.equal((await api.call("POST", exchange, { secret })).status, 403, "credits bought too late do not help");
      await grantCredits(database, { ...bought, reference: "early", at: new Date("2026-09-26T00:00:00Z") });
      t.equal((await api.call("POST", exchange, { secret })).status, 200, "old top-up credits do");
      await database.transaction().execute((transaction) =>
        chargeCredits(transaction, {
          account,
          amountCredits: 100,
          reason: "r",
          reference: "spend",
          agentCode: null,
          at,
          links,
        }),
      );
      t.equal((await api.call("POST", exchange, { secret })).status, 403, "until they are spent");
    },
    { environment: { AVATAR_NOW: "2026-10-19T00:00:01Z" } },
  );
});

t.test(
  "a reference changes credits once, charges use the pools in order, and refunds return to the same pools",
  async (t) => {
    await withDatabase(async ({ database }) => {
      const account = await createAccount(database, { email: "a@b.test", plan: "creator", createdAt: at });
      if (!account) throw t.fail("no account");
      t.equal(
        await createAccount(database, { email: "A@B.test", plan: "pro", createdAt: at }),
        null,
        "one per address",
      );
      const { userId } = account;
      const grant = (pool: "plan" | "topup", amountCredits: number) =>
        grantCredits(database, { userId, pool, amountCredits, reason: "r", reference: `grant-${pool}`, at });
      t.ok(await grant("plan", 30));
      t.ok(await grant("topup", 20));
      t.notOk(await grant("topup", 20), "a grant counts once");
      const charge = (amountCredits: number, reference: string, mayOverdraw = false) =>
        database.transaction().execute((transaction) =>
          chargeCredits(transaction, {
            account,
            amountCredits,
            reason: "r",
            reference,
            agentCode: null,
            at,
            links,
            mayOverdraw,
          }),
        );
      t.ok(await charge(40, "c1"));
      t.notOk(await charge(40, "c1"), "a charge counts once");
      t.match(await balanceOf(database, userId), { total: 10, pools: { plan: 0, topup: 10 } });
      await t.rejects(charge(11, "c2"), { code: "INSUFFICIENT_BALANCE", details: { topup_url: links.topupUrl } });
      const race = await Promise.allSettled([charge(6, "r1"), charge(6, "r2"), charge(6, "r3")]);
      t.equal(race.filter(({ status }) => status === "fulfilled").length, 1, "two cannot spend the same credits");
      t.ok(await charge(16, "c3", true), "what was served may go below zero");
      t.equal((await balanceOf(database, userId)).total, -12);
      await t.rejects(charge(1, "c4"), { code: "ACCOUNT_SUSPENDED" });
      const refund = (chargeReference: string) =>
        database.transaction().execute((transaction) => refundCharge(transaction, { userId, chargeReference, at }));
      t.ok(await refund("c1"));
      t.notOk(await refund("c1"), "a refund counts once");
      t.notOk(await refund("never"));
      t.match(await balanceOf(database, userId), { total: 28, pools: { plan: 18, topup: 10 } });
    });
  },
);

t.test("the operator's account is created once, and a new secret is added to it", async (t) => {
  await withDatabase(async ({ database }) => {
    const start = (secret: string) => ensureOperatorAccount({ database, secret, now: at });
    const first = "operator-secret-one-operator-secret-one";
    const [account, again] = await Promise.all([start(first), start(first)]);
    t.equal(account.userId, again.userId, "two processes that start together agree");
    t.match(account, { email: OPERATOR_EMAIL, plan: "custom" });
    await start("operator-secret-two-operator-secret-two");
    t.equal((await balanceOf(database, account.userId)).total, 1_000_000);
    t.equal((await findBySecret(database, first))?.account.userId, account.userId);
    await revokeSecret(database, account.userId, "operator-1", at);
    await start(first);
    t.ok((await findBySecret(database, first))?.isRevoked, "a revoked secret stays revoked");
    const stored = await database.selectFrom("api_secrets").selectAll().execute();
    t.notMatch(JSON.stringify(stored), /operator-secret-one/, "only hashes are stored");
    const stranger = await createAccount(database, { email: "s@b.test", plan: "pro", createdAt: at });
    const taken = await addSecret(database, { userId: stranger?.userId ?? "", alias: "a", createdAt: at });
    await t.rejects(start(taken), /another account/);
  });
});
