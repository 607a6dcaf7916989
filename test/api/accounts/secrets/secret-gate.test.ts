// The gate: many requests share a statement, and each gets the same answer as alone.
import t from "tap";
import { createAccount } from "../../../../api/accounts/account-store.ts";
import { changePlan } from "../../../../api/accounts/plans/plan-months.ts";
import type { Plan } from "../../../../api/accounts/plans/plans.ts";
import { createSecretGate } from "../../../../api/accounts/secrets/secret-gate.ts";
import { addSecret, revokeSecret } from "../../../../api/accounts/secrets/secret-store.ts";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

const at = new Date("2026-11-01T00:00:00Z");
const now = () => at.getTime();

async function open(database: Database, plan: Plan, aliases: string[]): Promise<{ userId: string; secrets: string[] }> {
  const account = await createAccount(database, { email: `${crypto.randomUUID()}@b.test`, plan, createdAt: at });
  if (!account) throw new Error("the address is random");
  const { userId } = account;
  const secrets: string[] = [];
  for (const alias of aliases) secrets.push(await addSecret(database, { userId, alias, createdAt: at }));
  return { userId, secrets };
}

t.test("concurrent requests share statements, and each gets its own owner and remaining count", async (t) => {
  await withDatabase(async ({ pool, database }) => {
    const creator = await open(database, "creator", ["one", "two", "gone"]);
    const pro = await open(database, "pro", ["one"]);
    const free = await open(database, "free", ["one"]);
    await revokeSecret(database, creator.userId, "gone", at);
    const gate = createSecretGate({ pool, now });
    const [one, two, gone] = creator.secrets;
    const answers = await Promise.all([
      ...Array.from({ length: 14 }, (_, index) => gate.open(index % 2 ? one : two, "generate")),
      gate.open(gone, "generate"),
      gate.open(pro.secrets[0], "read"),
      gate.open(pro.secrets[0], null),
      gate.open(one, "write"),
      gate.open("unknown", "read"),
      gate.open(free.secrets[0], "read"),
    ]);
    const generated = answers.slice(0, 14);
    t.ok(generated.every((answer) => answer?.owner.account.userId === creator.userId));
    t.same(
      generated.map((answer) => [answer?.rate?.isAllowed, answer?.rate?.remaining]),
      Array.from({ length: 14 }, (_, index) => [index < 10, Math.max(0, 9 - index)]),
      "two secrets share their account's limit, first come, first served",
    );
    const [revoked, read, untold, written, unknown, unseen] = answers.slice(14);
    t.match(revoked, { owner: { isRevoked: true }, rate: null }, "a revoked secret takes nothing");
    t.match(read, { owner: { account: { userId: pro.userId } }, rate: { limit: 720, remaining: 719 } });
    t.match(untold, { owner: { account: { userId: pro.userId } }, rate: null }, "without a tier nothing is taken");
    t.match(written, { rate: { limit: 60, remaining: 59 } }, "each tier has a bucket of its own");
    t.equal(unknown, null);
    t.match(unseen, { owner: { account: { plan: "free" } }, rate: null }, "whether Free gets in is yet to be seen");
    const early = createSecretGate({ pool, now: () => Date.parse("2026-10-18T00:00:00Z") });
    t.match(await early.open(free.secrets[0], "read"), { rate: { limit: 120, remaining: 119 } });
  });
});

t.test("nothing is cached: a revocation or a change of plan applies to the next request", async (t) => {
  await withDatabase(async ({ pool, database }) => {
    const { userId, secrets } = await open(database, "creator", ["one"]);
    const gate = createSecretGate({ pool, now });
    t.match(await gate.open(secrets[0], "read"), { owner: { isRevoked: false }, rate: { limit: 240 } });
    await database.transaction().execute((transaction) => changePlan(transaction, { userId, plan: "pro", now: at }));
    t.match(await gate.open(secrets[0], "read"), { owner: { account: { plan: "pro" } }, rate: { limit: 720 } });
    await revokeSecret(database, userId, "one", at);
    t.match(await gate.open(secrets[0], "read"), { owner: { isRevoked: true }, rate: null });
  });
});

t.test("a failed look-up fails its requests, and the next ones succeed", async (t) => {
  await withDatabase(async ({ pool, database }) => {
    const { secrets } = await open(database, "creator", ["one"]);
    const gate = createSecretGate({ pool, now });
    await pool.query("alter table rate_buckets rename to elsewhere");
    const failed = await Promise.allSettled([gate.open(secrets[0], "read"), gate.open("other", "read")]);
    t.same(
      failed.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    await pool.query("alter table elsewhere rename to rate_buckets");
    t.match(await gate.open(secrets[0], "read"), { rate: { isAllowed: true } });
  });
});
