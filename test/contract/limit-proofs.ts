// Proofs of the contract's rules for request limits.
import { changePlan } from "../../api/accounts/plans/plan-months.ts";
import { type ACCOUNT_TIERS, PLAN_LIMITS, type Plan, ratePerMinute } from "../../api/accounts/plans/plans.ts";
import type { TestAnswer } from "../helpers/service/with-api.ts";
import { LAUNCH } from "../helpers/service/with-sessions.ts";
import { expectError, type Proof } from "./prove.ts";
import { type ContractCalls, GENERATE } from "./with-contract.ts";

const READ = "/v1/webhooks";
const GENERATE_TIER = "/v1/runtime-sessions/cs_none/end";
const ADDRESS_PER_MINUTE = 120;
const DAY_MS = 86_400_000;

/** The contract's table: Generate, Write, Read. */
const PLAN_RATES: Partial<Record<Plan, readonly [number, number, number]>> = {
  creator: [10, 60, 240],
  pro: [30, 180, 720],
  business: [60, 360, 1440],
  enterprise: [120, 720, 2880],
};

/** The tier of a route by the contract, or a limit per address, or null for a route that is never limited. */
function tierOf(route: string): (typeof ACCOUNT_TIERS)[number] | "address" | null {
  const [method, path] = route.split(" ");
  const isExempt = /^\/(?:v1\/runtime-tokens\/|v1\/runtime\/|v1\/validate$|launch$|readyz$|files\/)/.test(path);
  if (isExempt) return null;
  // These check the secret themselves, or need none.
  const checksItself =
    /^\/v1\/(?:me$|cli\/|embed-(?:tokens|links)\/?|realtime|models\/showcase$|voices\/[^/]+\/preview$)|^\/v1\/agent\/sample-/.test(
      path,
    );
  if (checksItself) return "address";
  const isGenerate = /^\/v1\/(?:agent\/generate|dynamics\/generate|video\/generate|runtime-sessions\/[^/]+\/end)$/.test(
    path,
  );
  if (method === "post" && isGenerate) return "generate";
  const isWrite = method !== "get" || /^\/v1\/agent\/[^/]+\/sessions$/.test(path);
  return isWrite ? "write" : "read";
}

const limitsOf = ({ headers }: TestAnswer) => {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
  return { limit: Number(limit ?? Number.NaN), remaining: Number(remaining), reset: Number(reset) };
};

export function limitProofs(calls: ContractCalls): Proof[] {
  const { api, secret, routes } = calls;
  const forget = () => api.services.pool.query("delete from rate_buckets");
  const times = (count: number, ask: () => Promise<TestAnswer>) => Promise.all(Array.from({ length: count }, ask));
  const refusedOf = (answers: readonly TestAnswer[]) => answers.filter(({ status }) => status === 429);

  return [
    {
      rows: ["limits/tier-members"],
      title: "each documented route counts in the contract's tier",
      async prove(t) {
        await forget();
        const { account } = await api.addAccount();
        t.ok(routes.size > 60);
        for (const route of routes) {
          const [method, template] = route.split(" ");
          // Another account's ids and unknown ids: no call has an effect.
          const path = template.replace("{user_id}", account.userId).replace(/\{\w+\}/g, "none");
          const body = method === "get" || method === "delete" ? undefined : "[]";
          const headers = { "content-type": "application/json" };
          const answer = await api.call(method.toUpperCase(), path, { secret, body, headers });
          const tier = tierOf(route);
          const expected =
            tier === null ? Number.NaN : tier === "address" ? ADDRESS_PER_MINUTE : ratePerMinute("pro", tier);
          t.same(limitsOf(answer).limit, expected, `${route}: ${tier}, ${answer.status}`);
        }
      },
    },
    {
      rows: ["limits/plan-rates", "limits/plan-change"],
      title: "each plan has its limits, and a change of plan applies from the next request",
      async prove(t) {
        const { account, secret: own } = await api.addAccount({ plan: "creator" });
        const { userId } = account;
        for (const [plan, rates] of Object.entries(PLAN_RATES) as [Plan, readonly number[]][]) {
          await api.services.database.transaction().execute((transaction) => {
            return changePlan(transaction, { userId, plan, now: new Date() });
          });
          const answers = [
            await api.call("POST", GENERATE_TIER, { secret: own }),
            await api.call("DELETE", "/v1/webhooks/none", { secret: own }),
            await api.call("GET", READ, { secret: own }),
          ];
          t.same(
            answers.map((answer) => limitsOf(answer).limit),
            rates,
            PLAN_LIMITS[plan].title,
          );
        }
      },
    },
    {
      rows: ["limits/burst", "limits/shared", "limits/retry-after", "limits/headers"],
      title: "all secrets together may use a minute's requests at once, and the bucket refills evenly",
      async prove(t) {
        const { account, secret: one } = await api.addAccount({ plan: "creator" });
        const issued = await api.call("POST", `/v2/${account.userId}/api-secrets`, { secret: one, body: {} });
        const two: string = issued.body.secret;
        const secrets = [one, two];
        let turn = 0;
        api.clock.hold();
        const answers = await times(14, () => api.call("POST", GENERATE_TIER, { secret: secrets[turn++ % 2] }));
        const refused = refusedOf(answers);
        t.equal(refused.length, 4, "of 14, 10 a minute");
        expectError(t, refused[0], { status: 429, code: "RATE_LIMITED", retryAfter: true }, "over the limit");
        for (const answer of answers) {
          const { limit, remaining, reset } = limitsOf(answer);
          t.equal(limit, 10);
          t.ok(
            Number.isInteger(remaining) && remaining >= 0 && remaining < 10,
            `rest ${remaining}, on ${answer.status}`,
          );
          const fullInS = reset - api.clock.now() / 1000;
          t.ok(Number.isInteger(reset) && fullInS > 0 && fullInS <= 61, `full in ${fullInS.toFixed()} s`);
          t.equal(answer.headers.has("retry-after"), answer.status === 429);
        }
        const waitS = Number(refused[0].headers.get("retry-after"));
        t.equal(waitS, 6, "one comes back every six seconds");
        api.clock.advance(waitS * 1_000 - 1);
        t.equal((await api.call("POST", GENERATE_TIER, { secret: one })).status, 429, "not before");
        api.clock.advance(1);
        t.equal((await api.call("POST", GENERATE_TIER, { secret: one })).status, 404, "it passes then");
        api.clock.release();
      },
    },
    {
      rows: ["limits/never-runtime"],
      title: "runtime routes are never rate limited",
      async prove(t) {
        const { secret: own } = await api.addAccount({ plan: "creator", credits: 10 });
        const answers = await times(70, () => api.call("POST", LAUNCH, { secret: own }));
        t.ok(answers.every(({ status, headers }) => status === 200 && !headers.has("x-ratelimit-limit")));
        const bearer = answers[0].body.data.token;
        const model = { model: "expression-1", has_image: true };
        const begun = await times(70, () => api.call("POST", "/v1/runtime/sessions", { bearer, body: model }));
        t.ok(begun.every(({ status, headers }) => status === 200 && !headers.has("x-ratelimit-limit")));
        const path = `/v1/runtime/sessions/${begun[0].body.session_id}/beat`;
        const beats = await times(70, () => api.call("POST", path, { bearer, body: { seq: 1, served_seconds: 0 } }));
        t.ok(beats.every(({ status, headers }) => status === 200 && !headers.has("x-ratelimit-limit")));
      },
    },
    {
      rows: ["limits/failed-authentication"],
      title: "an address with too many failures is limited, but its requests with a valid secret are not",
      async prove(t) {
        await forget();
        api.clock.hold();
        const answers = await times(40, () => api.call("GET", READ, { secret: "wrong" }));
        api.clock.release();
        const refused = refusedOf(answers);
        t.equal(refused.length, 10, "of 40, 30 a minute");
        expectError(t, refused[0], { status: 429, code: "RATE_LIMITED", retryAfter: true }, "too many failures");
        t.equal((await api.call("GET", READ, { secret })).status, 200);
        await forget();
      },
    },
    {
      rows: ["limits/self-checking"],
      title: "the account profile is limited per address",
      async prove(t) {
        await forget();
        const { secret: own } = await api.addAccount({ plan: "enterprise" });
        const first = await api.call("GET", "/v1/me", { secret: own });
        t.match(limitsOf(first), { limit: 120, remaining: 119 }, "120 a minute, on the largest plan too");
        // Takes 119 requests from the bucket directly. It refills by two per second, so sending them all would prove
        // nothing on a slow machine.
        await api.services.pool.query("update rate_buckets set tokens = 0 where key like 'address:%'");
        const answers = await times(20, () => api.call("GET", "/v1/me", { secret: own }));
        t.ok(refusedOf(answers).length > 0, `${refusedOf(answers).length} of 20 refused`);
        await api.services.pool.query("update rate_buckets set tokens = -120 where key like 'address:%'");
        t.equal((await api.call("GET", "/v1/me", { secret })).status, 429, "another account behind the same address");
        t.equal((await api.call("GET", READ, { secret: own })).status, 200, "the account's own buckets are untouched");
        await forget();
      },
    },
    {
      rows: ["limits/request-id"],
      title: "every answer has a request id",
      async prove(t) {
        const answers = [
          await api.call("GET", READ, { secret }),
          await api.call("GET", READ),
          await api.call("GET", "/v1/nothing"),
          await api.call("POST", "/v1/validate"),
          await api.call("POST", LAUNCH, { secret }),
          await api.call("GET", "/readyz"),
          await api.call("PUT", READ),
        ];
        const ids = answers.map(({ headers }) => headers.get("x-request-id"));
        t.ok(ids.every((id) => id !== null && /^[\da-f-]{36}$/.test(id)));
        t.equal(new Set(ids).size, ids.length);
      },
    },
    {
      rows: ["limits/idempotency-day"],
      title: "an idempotency key is kept for 24 hours and no longer",
      async prove(t) {
        const { account, secret: own } = await api.addAccount({ plan: "pro", credits: 600 });
        const send = () =>
          api.call("POST", GENERATE, {
            secret: own,
            headers: { "idempotency-key": "one-a-day" },
            body: { model: "expression-1", prompt: "You are Otto." },
          });
        const first = await send();
        const letTimePass = (ms: number) =>
          api.services.database
            .updateTable("idempotency_keys")
            .set({ created_at: new Date(Date.now() - ms) })
            .where("user_id", "=", account.userId)
            .execute();
        await letTimePass(DAY_MS - 60_000);
        const repeated = await send();
        t.same(repeated.body, first.body, "the first answer, word for word");
        t.equal(repeated.headers.get("idempotency-replayed"), "true");
        await letTimePass(DAY_MS);
        const next = await send();
        t.equal(next.status, 200);
        t.notSame(next.body.agent_id, first.body.agent_id, "a second agent");
        t.equal(next.headers.get("idempotency-replayed"), null);
      },
    },
  ];
}
