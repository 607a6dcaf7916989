// Two api processes on one database share their counts, and a change in one applies to both at once.
import t from "tap";
import { createAccount } from "../../../../api/accounts/account-store.ts";
import { changePlan } from "../../../../api/accounts/plans/plan-months.ts";
import type { Plan } from "../../../../api/accounts/plans/plans.ts";
import { addSecret } from "../../../../api/accounts/secrets/secret-store.ts";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";
import { type ApiProcess, startApiProcess } from "../../../helpers/service/api-process.ts";

const PROCESSES = 2;
/** Before Free accounts lost their access: their limits are the smallest, so that nothing refills while the test
 *  runs. */
const NOW = "2026-09-01T00:00:00Z";
const GENERATE_TIER = "/v1/runtime-sessions/cs_none/end";
const READ_TIER = "/v1/runtime-sessions/cs_none";

async function openAccount(database: Database, plan: Plan): Promise<{ userId: string; secrets: string[] }> {
  const createdAt = new Date(NOW);
  const account = await createAccount(database, { email: `${crypto.randomUUID()}@example.test`, plan, createdAt });
  if (!account) throw new Error("the address is random");
  const { userId } = account;
  const add = (alias: string) => addSecret(database, { userId, alias, createdAt });
  return { userId, secrets: [await add("one"), await add("two")] };
}

const call = (api: ApiProcess, method: string, path: string, secret: string) =>
  fetch(api.baseUrl + path, { method, headers: { "api-secret": secret } });

t.test("limits are exact across processes, revocations and plan changes immediate", async (t) => {
  const dataDir = await makeDataFolder(t);
  await withDatabase(async ({ url, database }) => {
    const start = () => startApiProcess({ databaseUrl: url, dataDir, environment: { AVATAR_NOW: NOW } });
    const apis = await Promise.all(Array.from({ length: PROCESSES }, start));
    try {
      const { userId, secrets } = await openAccount(database, "free");
      const startedMs = Date.now();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          call(apis[index % PROCESSES], "POST", GENERATE_TIER, secrets[index % secrets.length]),
        ),
      );
      // One request comes back every 15 s.
      const refilled = Math.floor((Date.now() - startedMs) / 15_000);
      const allowed = answers.filter(({ status }) => status === 404);
      t.ok(allowed.length >= 4 && allowed.length <= 4 + refilled, `${allowed.length} of 40 requests, 4 a minute`);
      t.equal(allowed.length + answers.filter(({ status }) => status === 429).length, 40);
      const remaining = allowed.map(({ headers }) => Number(headers.get("x-ratelimit-remaining"))).sort();
      t.same(remaining.slice(-4), [0, 1, 2, 3], "each was told of another rest");
      for (const { headers } of answers) t.equal(headers.get("x-ratelimit-limit"), "4");

      await database
        .transaction()
        .execute((transaction) => changePlan(transaction, { userId, plan: "business", now: new Date(NOW) }));
      for (const api of apis) {
        const { headers } = await call(api, "POST", GENERATE_TIER, secrets[0]);
        t.equal(headers.get("x-ratelimit-limit"), "60", "the limiter knows the new plan");
      }

      const path = `${apis[0].baseUrl}/v2/${userId}/api-secrets/two`;
      t.equal((await call(apis[1], "GET", READ_TIER, secrets[1])).status, 404);
      t.equal((await fetch(path, { method: "DELETE", headers: { "api-secret": secrets[0] } })).status, 200);
      const refused = await Promise.all(apis.map((api) => call(api, "GET", READ_TIER, secrets[1])));
      t.same(
        refused.map(({ status }) => status),
        apis.map(() => 401),
        "a secret revoked in one process is refused by all",
      );
    } finally {
      await Promise.all(apis.map((api) => api.close()));
    }
  });
});
