// Authentication, the order of refusals, and the end of API access on the Free plan.
import t from "tap";
import { setAccountStatus, suspendRuntime } from "../../../api/accounts/account-store.ts";
import { chargeCredits, grantCredits, refundCharge } from "../../../api/accounts/credits/ledger.ts";
import { changePlan } from "../../../api/accounts/plans/plan-months.ts";
import { revokeSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { addressKey } from "../../../program/http/address-key.ts";
import { addAgent } from "../../helpers/service/add-agent.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";

// Hundreds of requests, which take long on a busy machine.

const REST = [
  ["GET", "/v1/me"],
  ["GET", "/v2/credit-summaries"],
  ["GET", "/v1/pricing"],
  ["GET", "/v1/usage"],
  ["GET", "/v1/agents"],
  ["GET", "/v1/runtime-sessions/cs_none"],
  ["POST", "/v1/agent/generate"],
  ["POST", "/v1/agent/x/speak"],
  ["POST", "/v1/webhooks"],
  ["DELETE", "/v1/webhooks/x"],
  ["POST", "/v2/organizations"],
] as const;
const TOKENS = [
  ["POST", "/v1/runtime-tokens/request"],
  ["POST", "/v1/runtime-tokens/mint"],
  ["POST", "/v1/embed-tokens/request"],
  ["POST", "/launch"],
] as const;

const error = (status: number, code: string) => ({
  status,
  body: { error: { code }, status: "error", status_code: status },
});

/** Calls with an empty JSON object where a body belongs: authentication comes before the body is looked at. */
function ask(api: TestApi, method: string, path: string, secret?: string): ReturnType<TestApi["call"]> {
  return api.call(method, path, { secret, body: method === "POST" ? {} : undefined });
}

t.test("missing, wrong and revoked secrets are refused with their codes, on REST and on token endpoints", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount();
    const gone = (await api.call("POST", `/v2/${account.userId}/api-secrets`, { secret, body: { alias: "gone" } }))
      .body;
    await revokeSecret(api.services.database, account.userId, "gone", new Date());
    for (const [method, path] of [...REST, ...TOKENS]) {
      t.match(await ask(api, method, path), error(401, "MISSING_AUTH"), `${method} ${path} without`);
      const headers = { authorization: `Bearer ${secret}` };
      const bearer = await api.call(method, path, { headers, body: method === "POST" ? {} : undefined });
      t.match(bearer, error(401, "MISSING_AUTH"), `${method} ${path} does not read Bearer`);
    }
    // The failures of this address are used up for this minute; other addresses are not affected.
    await api.services.pool.query("delete from rate_buckets");
    for (const [method, path] of [...REST, ...TOKENS]) {
      t.match(
        await ask(api, method, path, `${secret}0`),
        error(401, "UNAUTHORIZED"),
        `${method} ${path} with a wrong one`,
      );
    }
    for (const [method, path] of REST) {
      t.match(
        await ask(api, method, path, gone.secret),
        error(401, "UNAUTHORIZED"),
        `${method} ${path} with a revoked one`,
      );
    }
    for (const [method, path] of TOKENS) {
      t.match(await ask(api, method, path, gone.secret), error(403, "RUNTIME_SUSPENDED"), `${method} ${path}`);
    }
    t.match(await ask(api, "GET", "/v1/me", "x".repeat(5000)), error(401, "UNAUTHORIZED"), "one too long to be any");
  });
});

t.test("suspended runtime access affects only token endpoints, and a plan change does not clear it", async (t) => {
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "creator", credits: 10 });
    const { database } = api.services;
    await suspendRuntime(database, account.userId);
    await database.transaction().execute((transaction) => {
      return changePlan(transaction, { userId: account.userId, plan: "enterprise", now: new Date() });
    });
    for (const [method, path] of TOKENS) {
      const refused = await ask(api, method, path, secret);
      t.match(refused, error(403, "RUNTIME_SUSPENDED"), path);
      t.notOk(refused.body.error.upgrade_url, "no link: there is nothing to buy");
    }
    t.equal((await ask(api, "GET", "/v1/me", secret)).body.data.plan, "enterprise");
  });
});

t.test("a suspended account may read, end sessions and delete; everything else is refused", async (t) => {
  await withIdleApi(async (api) => {
    const { database, links } = api.services;
    const byOperator = await api.addAccount({ credits: 5000 });
    const byBalance = await api.addAccount();
    const sessions: string[] = [];
    for (const { account, secret } of [byOperator, byBalance]) {
      await addAgent(api.services, { userId: account.userId, code: `S${account.userId.slice(0, 8)}` });
      await grantCredits(database, {
        userId: account.userId,
        pool: "reward",
        amountCredits: 1,
        reason: "r",
        reference: "one",
        at: new Date(),
      });
      const bearer = (await ask(api, "POST", "/v1/runtime-tokens/request", secret)).body.data.token;
      const body = { model: "essence-2", agent_code: `S${account.userId.slice(0, 8)}` };
      const begun = await api.call("POST", "/v1/runtime/sessions", { bearer, body });
      sessions.push(`${begun.body.session_id} ${bearer}`);
    }
    await setAccountStatus(database, byOperator.account.userId, "suspended");
    await database.transaction().execute((transaction) => {
      const charge = { amountCredits: 12, reason: "r", reference: "overdraw", agentCode: null, at: new Date(), links };
      return chargeCredits(transaction, { ...charge, account: byBalance.account, mayOverdraw: true });
    });
    for (const [index, { account, secret }] of [byOperator, byBalance].entries()) {
      const { userId } = account;
      const code = `S${userId.slice(0, 8)}`;
      const call = (method: string, path: string, body?: object) => api.call(method, path, { secret, body });
      t.same((await call("POST", "/v1/validate")).body, { valid: false });
      t.equal((await call("GET", "/v1/me")).body.data.account_status, "suspended");
      for (const [method, path, body] of [
        ["POST", "/v1/agent/generate", { prompt: "You are Nova.", model: "essence-2" }],
        ["POST", `/v1/agent/${code}`, { system_prompt: "x" }],
        ["POST", "/v1/webhooks", { url: "https://hooks.example/x" }],
        ["POST", `/v2/${userId}/api-secrets`, {}],
        ["POST", "/v1/runtime-tokens/mint", { agent_code: code }],
        ["POST", "/v1/embed-tokens/request", { agent_id: code, fingerprint: "f" }],
        ["POST", "/v2/organizations", { name: "x" }],
      ] as const) {
        const refused = await call(method, path, body);
        t.match(refused, error(403, "ACCOUNT_SUSPENDED"), `${method} ${path}`);
        t.same(Object.keys(refused.body.error).sort(), ["code", "httpStatus", "message"], "it comes without a link");
      }
      t.equal((await call("GET", "/v2/credit-summaries")).status, 200);
      const [id, bearer] = sessions[index].split(" ");
      const stopped = await api.call("POST", `/v1/runtime/sessions/${id}/stop`, {
        bearer,
        body: { served_seconds: 1 },
      });
      t.equal(stopped.status, 200, "metering goes on");
      t.equal((await call("POST", `/v1/runtime-sessions/${id}/end`)).status, 200);
      t.equal((await call("DELETE", `/v1/agent/${code}`)).status, 200);
    }
    await setAccountStatus(database, byOperator.account.userId, "active");
    t.same((await api.call("POST", "/v1/validate", { secret: byOperator.secret })).body, { valid: true });
  });
});

t.test("an IPv6 client is counted by its /64 network, an IPv4 client by its address", async (t) => {
  t.equal(addressKey("192.0.2.7"), "192.0.2.7");
  t.equal(addressKey("::ffff:192.0.2.7"), "192.0.2.7");
  t.equal(addressKey("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  t.equal(addressKey("2001:db8:1:2:ffff::1"), addressKey("2001:db8:1:2::9"));
  t.not(addressKey("2001:db8:1:3::9"), addressKey("2001:db8:1:2::9"));
  t.equal(addressKey("not an address"), "not an address");
});

t.test("until 2026-10-19 Free accounts get the notice with every runtime token and heartbeat", async (t) => {
  await withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: "free", credits: 50 });
      const exchanged = await ask(api, "POST", "/v1/runtime-tokens/request", secret);
      const notice = exchanged.headers.get("x-service-plan-notice");
      t.match(notice, /19 October 2026/);
      t.equal(exchanged.body.data.plan_notice, notice);
      const agent_code = await addAgent(api.services, { userId: account.userId });
      for (const scope of [{}, { scope: "livekit-cloud", room_name: "r", livekit_url: "wss://rooms.example" }]) {
        const body = { agent_code, ...scope };
        const minted = await api.call("POST", "/v1/runtime-tokens/mint", { secret, body });
        t.match(minted, { status: 200, body: { plan_notice: notice } }, JSON.stringify(scope));
        t.equal(minted.headers.get("x-service-plan-notice"), notice);
      }
      const bearer = exchanged.body.data.token;
      const begun = await api.call("POST", "/v1/runtime/sessions", {
        bearer,
        body: { model: "essence-2", host: "desk" },
      });
      t.match(begun, { status: 200, body: { plan_notice: notice } });
      t.equal(begun.headers.get("x-service-plan-notice"), notice);
      const heartbeat = await api.call("POST", `/v1/runtime/sessions/${begun.body.session_id}/beat`, {
        bearer,
        body: { seq: 1, served_seconds: 1 },
      });
      t.match(heartbeat, { status: 200, body: { ok: true, plan_notice: notice } });
      t.equal(heartbeat.headers.get("x-service-plan-notice"), notice);
      const stopped = await api.call("POST", `/v1/runtime/sessions/${begun.body.session_id}/stop`, {
        bearer,
        body: { served_seconds: 1 },
      });
      t.match(stopped, { status: 200, body: { plan_notice: notice } });
      t.equal(stopped.headers.get("x-service-plan-notice"), notice);
      t.equal((await ask(api, "GET", "/v1/me", secret)).headers.get("x-service-plan-notice"), null, "not with others");
      const paid = await api.addAccount({ plan: "creator" });
      const answer = await ask(api, "POST", "/v1/runtime-tokens/request", paid.secret);
      t.notOk(answer.headers.has("x-service-plan-notice") || "plan_notice" in answer.body.data, "nor paid plans");
    },
    { environment: { AVATAR_NOW: "2026-10-18T23:30:00Z" } },
  );
});

t.test("from 2026-10-19 every secret of a Free account is refused with a link to the plans", async (t) => {
  await withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: "free", credits: 50 });
      for (const [method, path] of [...REST, ...TOKENS]) {
        const refused = await ask(api, method, path, secret);
        t.match(refused, error(403, "PLAN_REQUIRED"), `${method} ${path}`);
        t.equal(refused.body.error.upgrade_url, api.services.links.upgradeUrl);
      }
      t.match(await ask(api, "GET", "/v1/me", `${secret}x`), error(401, "UNAUTHORIZED"), "a wrong secret comes first");
      await revokeSecret(api.services.database, account.userId, "test", new Date());
      t.match(await ask(api, "GET", "/v1/agents", secret), error(401, "UNAUTHORIZED"), "and a revoked one");
      t.match(await ask(api, "POST", "/v1/runtime-tokens/mint", secret), error(403, "RUNTIME_SUSPENDED"));
      const other = await api.addAccount({ plan: "free" });
      await api.services.database.transaction().execute((transaction) => {
        return changePlan(transaction, { userId: other.account.userId, plan: "creator", now: new Date() });
      });
      t.equal((await ask(api, "GET", "/v1/me", other.secret)).status, 200, "a paid plan opens at once");
    },
    { environment: { AVATAR_NOW: "2026-10-19T00:00:00Z" } },
  );
});

t.test("top-ups bought before 2026-09-27 keep a Free account's access until they are spent", async (t) => {
  await withIdleApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: "free" });
      const { database, links } = api.services;
      const { userId } = account;
      const status = async () => (await ask(api, "GET", "/v1/agents", secret)).status;
      const buy = (reference: string, amountCredits: number, at: string) =>
        grantCredits(database, { userId, pool: "topup", amountCredits, reason: "r", reference, at: new Date(at) });
      const spend = (reference: string, amountCredits: number) =>
        database.transaction().execute((transaction) => {
          const charge = { account, amountCredits, reason: "r", reference, agentCode: null, at: new Date(), links };
          return chargeCredits(transaction, charge);
        });
      await buy("late", 100, "2026-09-27T00:00:00Z");
      t.equal(await status(), 403, "bought too late");
      await buy("early", 100, "2026-09-26T23:59:59Z");
      t.equal(await status(), 200);
      await spend("first", 99);
      t.equal(await status(), 200, "one is left");
      await spend("second", 1);
      t.equal(await status(), 403, "the old ones are spent first");
      await database.transaction().execute((transaction) => {
        return refundCharge(transaction, { userId, chargeReference: "first", at: new Date() });
      });
      t.equal(await status(), 200, "what was given back is not spent");
      t.equal((await ask(api, "GET", "/v1/agents", secret)).headers.get("x-ratelimit-limit"), "120");
    },
    { environment: { AVATAR_NOW: "2026-10-20T00:00:00Z" } },
  );
});

t.test("failures count per client address, and only a trusted proxy may set that address", async (t) => {
  const fail = (api: TestApi, forwardedFor: string) =>
    api.call("GET", "/v1/agents", { secret: "wrong", headers: { "x-forwarded-for": forwardedFor } });
  const failMany = async (api: TestApi, name: (index: number) => string) => {
    const answers = await Promise.all(Array.from({ length: 45 }, (_, index) => fail(api, name(index))));
    return answers.filter(({ status }) => status === 429).length;
  };
  await withIdleApi(async (api) => {
    t.ok((await failMany(api, (index) => `10.0.0.${index}`)) >= 4, "anybody else's word is ignored");
  });
  await withIdleApi(
    async (api) => {
      t.equal(await failMany(api, (index) => `10.0.0.${index}`), 0, "each address for itself");
      t.ok(
        (await failMany(api, (index) => `10.1.1.${index}, 10.9.9.9`)) >= 4,
        "what our proxy did not write is ignored",
      );
      const { secret } = await api.addAccount();
      const good = { secret, headers: { "x-forwarded-for": "10.9.9.9" } };
      t.equal((await api.call("GET", "/v1/agents", good)).status, 200, "a good secret gets in from there");
      const refused = await fail(api, "10.9.9.9");
      t.match(refused, error(429, "RATE_LIMITED"));
      t.ok(Number(refused.headers.get("retry-after")) >= 1);
    },
    { environment: { AVATAR_TRUST_PROXY: "1" } },
  );
});
