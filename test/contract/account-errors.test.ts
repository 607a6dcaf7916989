import { sql } from "kysely";
import t from "tap";
import { chargeCredits } from "../../api/accounts/credits/ledger.ts";
import type { Plan } from "../../api/accounts/plans/plans.ts";
import { revokeSecret } from "../../api/accounts/secrets/secret-store.ts";
import { addAgent } from "../helpers/service/add-agent.ts";
import { signIn } from "../helpers/service/sign-in.ts";
import { type TestApi, withApi } from "../helpers/service/with-api.ts";
import { LAUNCH } from "../helpers/service/with-sessions.ts";
import { expectError, type Proof, proveSection } from "./prove.ts";
import { ACCOUNT_ERROR_ROWS } from "./rows.ts";
import { type ContractCalls, GENERATE, withContract } from "./with-contract.ts";

const FREE_ENDS = "2026-10-19T00:00:00Z";
const WHILE_FREE = { AVATAR_NOW: "2026-10-18T12:00:00Z" };

// Inside a test, so that it ends after everything is closed.
await t.test("errors of the account", (t) =>
  withContract((calls) =>
    proveSection(t, {
      name: "errors of the account",
      rows: ACCOUNT_ERROR_ROWS,
      proofs: proofsOn(calls),
      routes: calls.routes,
    }),
  ),
);

function proofsOn(calls: ContractCalls): Proof[] {
  const { api, secret, userId, call, generate, countOf, launchAs } = calls;
  return [
    {
      rows: ["errors/MISSING_AUTH"],
      title: "a request without the api-secret header is refused",
      async prove(t) {
        const missing = { status: 401, code: "MISSING_AUTH", message: /api-secret/ } as const;
        expectError(t, await api.call("GET", "/v1/agents"), missing, "no credential");
        expectError(t, await api.call("GET", "/v1/agents", { bearer: secret }), missing, "the secret as Bearer");
      },
    },
    {
      rows: ["errors/UNAUTHORIZED:invalid"],
      title: "a secret that does not exist is refused",
      async prove(t) {
        const answer = await api.call("GET", "/v1/agents", { secret: "x".repeat(65) });
        expectError(t, answer, { status: 401, code: "UNAUTHORIZED" }, "an invented secret");
      },
    },
    {
      rows: ["errors/UNAUTHORIZED:revoked", "errors/RUNTIME_SUSPENDED:revoked"],
      title: "a revoked secret is refused at once: 401 on REST, 403 on token endpoints",
      async prove(t) {
        const { account, secret: gone } = await api.addAccount({ credits: 10 });
        t.equal((await api.call("GET", "/v1/agents", { secret: gone })).status, 200);
        await revokeSecret(api.services.database, account.userId, "test", new Date());
        const rest = await api.call("GET", "/v1/agents", { secret: gone });
        expectError(t, rest, { status: 401, code: "UNAUTHORIZED" }, "a REST endpoint");
        const suspended = { status: 403, code: "RUNTIME_SUSPENDED" } as const;
        for (const path of [LAUNCH, "/v1/runtime-tokens/mint", "/v1/embed-tokens/request"]) {
          expectError(t, await api.call("POST", path, { secret: gone, body: {} }), suspended, path);
        }
      },
    },
    {
      rows: ["errors/RUNTIME_SUSPENDED:account"],
      title: "suspended runtime access stays suspended after a change of plan",
      async prove(t) {
        const { account, secret: halted } = await api.addAccount({ credits: 10 });
        const { database } = api.services;
        const change = (values: { is_runtime_suspended?: boolean; plan?: Plan }) =>
          database.updateTable("accounts").set(values).where("user_id", "=", account.userId).execute();
        await change({ is_runtime_suspended: true });
        const refused = { status: 403, code: "RUNTIME_SUSPENDED" } as const;
        expectError(t, await api.call("POST", LAUNCH, { secret: halted }), refused, "exchange");
        await change({ plan: "enterprise" });
        expectError(t, await api.call("POST", LAUNCH, { secret: halted }), refused, "after an upgrade");
      },
    },
    {
      rows: ["errors/PAYWALL"],
      title: "a person in the console without minutes left gets PAYWALL, a creation INSUFFICIENT_BALANCE",
      async prove(t) {
        const { account } = await api.addAccount();
        const { call } = await signIn(api, account.userId);
        const body = { agent_id: await addAgent(api.services, { userId: account.userId }), fingerprint: "abc" };
        const { token } = (await call("POST", "/console/api/v1/embed-tokens/request", { body })).body.data;
        const talk = await api.call("POST", "/embed/session", { bearer: token, body: {} });
        expectError(t, talk, { status: 402, code: "PAYWALL", link: "topup_url" }, "talking");
        const create = await call("POST", `/console/api${GENERATE}`, { body: { model: "essence-2", prompt: "Hi." } });
        expectError(t, create, { status: 402, code: "INSUFFICIENT_BALANCE", link: "topup_url" }, "creation");
      },
    },
    {
      rows: ["errors/INSUFFICIENT_BALANCE"],
      title: "creations and sessions need credits, and the refusal has a link to buy more",
      async prove(t) {
        const { account, secret: poor } = await api.addAccount();
        const refused = { status: 402, code: "INSUFFICIENT_BALANCE", link: "topup_url" } as const;
        expectError(t, await generate({ model: "essence-2", prompt: "Hi." }, poor), refused, "creation");
        const code = await addAgent(api.services, { userId: account.userId });
        expectError(t, await launchAs(poor, "r", { agent_id: code }), refused, "a session without minutes left");
        t.equal(await countOf("agents", account.userId), 1, "no agent was made");
        t.equal(await countOf("avatar_sessions", account.userId), 0, "no session was started");
      },
    },
    {
      rows: ["errors/PLAN_REQUIRED:feature", "errors/PLAN_REQUIRED:free"],
      title: "a Free account cannot create agents, and from 19 October its secrets are refused",
      async prove(t) {
        const refused = { status: 403, code: "PLAN_REQUIRED", link: "upgrade_url" } as const;
        await withApi(
          async (early) => {
            const { secret: free } = await early.addAccount({ plan: "free", credits: 99 });
            const body = { model: "expression-1", prompt: "Hi." };
            expectError(t, await early.call("POST", GENERATE, { secret: free, body }), refused, "creation");
            const exchange = await early.call("POST", LAUNCH, { secret: free });
            t.equal(exchange.status, 200, "tokens are still exchanged");
            t.equal(
              exchange.headers.get("x-service-plan-notice"),
              exchange.body.data.plan_notice,
              "with a notice, twice",
            );
          },
          { environment: WHILE_FREE },
        );
        await withApi(
          async (late) => {
            const { secret: free } = await late.addAccount({ plan: "free", credits: 99 });
            expectError(t, await late.call("GET", "/v1/agents", { secret: free }), refused, "reading");
            expectError(t, await late.call("POST", LAUNCH, { secret: free }), refused, "a token");
          },
          { environment: { AVATAR_NOW: FREE_ENDS } },
        );
      },
    },
    {
      rows: ["errors/AGENT_LIMIT_REACHED:plans", "errors/AGENT_LIMIT_REACHED:top"],
      title: "a plan limits the number of agents, and the refusal on the highest plan has no upgrade link",
      async prove(t) {
        const limits = { creator: 7, pro: 40, business: 200, enterprise: 1000 } as const;
        for (const [plan, limit] of Object.entries(limits) as [Plan, number][]) {
          const { account, secret: owner } = await api.addAccount({ plan, credits: 5_000 });
          await addAgents(api, account.userId, limit);
          const answer = await generate({ model: "expression-1", prompt: "Hi." }, owner);
          const link = plan === "enterprise" ? {} : ({ link: "upgrade_url" } as const);
          const message = new RegExp(`\\b${limit}\\b`);
          expectError(t, answer, { status: 403, code: "AGENT_LIMIT_REACHED", message, ...link }, plan);
        }
      },
    },
    {
      rows: ["errors/CONCURRENCY_LIMIT_REACHED"],
      title: "a plan limits concurrent sessions, and running sessions are not ended",
      async prove(t) {
        const limits = { creator: 3, pro: 10, business: 50, enterprise: 200 } as const;
        for (const [plan, limit] of Object.entries(limits) as [Plan, number][]) {
          const { account, secret: owner } = await api.addAccount({ plan, credits: 5_000 });
          const code = await addAgent(api.services, { userId: account.userId });
          const first = await launchAs(owner, `${plan}-0`, { agent_id: code });
          t.equal(first.status, 200, `${plan}: the first starts`);
          await multiplySession(api, first.body.session_id, limit - 1);
          const answer = await launchAs(owner, `${plan}-more`, { agent_id: code });
          const message = new RegExp(`${plan}.*\\b${limit}\\b.*${limit}/${limit}`, "i");
          const refused = { status: 403, code: "CONCURRENCY_LIMIT_REACHED", message, link: "upgrade_url" } as const;
          expectError(t, answer, refused, plan);
          const { upgrade_url } = answer.body.error;
          t.same(answer.body.error.details, { upgrade_url, limit, running: limit }, `${plan}: details`);
          const { status } = (await api.call("GET", `/v1/runtime-sessions/${first.body.session_id}`, { secret: owner }))
            .body;
          t.equal(status, "starting", `${plan}: the first goes on`);
        }
      },
    },
    {
      rows: ["errors/ACCOUNT_SUSPENDED"],
      title: "an account far below zero is suspended, and the refusal has no link",
      async prove(t) {
        const { account, secret: owing } = await api.addAccount({ credits: 10 });
        const code = await addAgent(api.services, { userId: account.userId });
        const { database, links } = api.services;
        await database.transaction().execute((transaction) =>
          chargeCredits(transaction, {
            account,
            amountCredits: 25,
            reason: "test",
            reference: "owed",
            agentCode: null,
            at: new Date(),
            links,
            mayOverdraw: true,
          }),
        );
        const refused = { status: 403, code: "ACCOUNT_SUSPENDED" } as const;
        expectError(t, await generate({ model: "expression-1", prompt: "Hi." }, owing), refused, "creation");
        expectError(t, await launchAs(owing, "r", { agent_id: code }), refused, "session");
      },
    },
    {
      rows: ["errors/SECRET_REVEAL_CONSOLE_ONLY"],
      title: "the value of a secret cannot be read with a secret",
      async prove(t) {
        const answer = await call("GET", `/v2/${userId}/api-secrets/test/get-value`);
        expectError(t, answer, { status: 403, code: "SECRET_REVEAL_CONSOLE_ONLY" }, "get-value");
        t.notMatch(JSON.stringify(answer.body), secret);
      },
    },
    {
      rows: ["errors/FORBIDDEN"],
      title: "paths of another account are refused",
      async prove(t) {
        const { account } = await api.addAccount();
        const forbidden = { status: 403, code: "FORBIDDEN" } as const;
        for (const path of ["api-secrets", "runtime-sessions", "session-webhook"]) {
          expectError(t, await call("GET", `/v2/${account.userId}/${path}`), forbidden, path);
        }
      },
    },
    {
      rows: ["errors/RATE_LIMITED"],
      title: "a refusal over the rate limit names the tier and the wait",
      async prove(t) {
        const { secret: hasty } = await api.addAccount({ plan: "creator" });
        const attempt = () => api.call("POST", GENERATE, { secret: hasty, body: { model: "nonsense" } });
        const answers = await Promise.all(Array.from({ length: 14 }, attempt));
        const refused = answers.filter(({ status }) => status === 429);
        t.ok(refused.length >= 3, "ten a minute and a burst of ten");
        expectError(
          t,
          refused[0],
          { status: 429, code: "RATE_LIMITED", message: /generate.*\d+ s/, retryAfter: true },
          "429",
        );
        t.match(refused[0].headers.get("x-ratelimit-limit"), "10");
        t.match(refused[0].headers.get("x-ratelimit-remaining"), "0");
      },
    },
  ];
}

/** Gives an account `count` agents, as copies of one. */
async function addAgents(api: TestApi, userId: string, count: number): Promise<void> {
  const code = await addAgent(api.services, { userId });
  await sql`
    insert into agents select (jsonb_populate_record(one, jsonb_build_object(
      'id', gen_random_uuid(), 'code', ${code} || '-' || copy))).*
    from agents one, generate_series(2, ${count}) copy where one.code = ${code}
  `.execute(api.services.database);
}

/** Makes copies of a running session, each in its own room. */
async function multiplySession(api: TestApi, id: string, count: number): Promise<void> {
  await sql`
    insert into avatar_sessions select (jsonb_populate_record(one, jsonb_build_object(
      'id', ${id} || '-' || copy, 'room_name', one.room_name || '-' || copy, 'accepted_at', now()))).*
    from avatar_sessions one, generate_series(1, ${count}) copy where one.id = ${id}
  `.execute(api.services.database);
}
