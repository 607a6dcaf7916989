// A seeded sample of the soak: the ledger stays balanced although a process is killed during requests. The whole is
// `npm run soak -- money`, which also bakes agents.

import { sql } from "kysely";
import t from "tap";
import { checkBooks } from "../../../../lab/soak/money/check-books.ts";
import { soakMoney } from "../../../../lab/soak/money/money-soak.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { withDatabase } from "../../../helpers/servers/with-database.ts";

const SEED = 20_261_122;

t.test("after 60 operations and a killed process the ledger is balanced", async (t) => {
  const dataDir = await makeDataFolder(t);
  await withDatabase(async ({ url, database }) => {
    const result = await soakMoney({ databaseUrl: url, dataDir, operations: 60, kills: 1, seed: SEED, realAgents: 0 });
    t.same(result.violations, [], `seed ${SEED}`);
    t.equal(result.kills, 1);
    t.ok(result.movements > 20, `${result.movements} movements`);
    t.ok((result.outcomes["create: 200"] ?? 0) > 4, JSON.stringify(result.outcomes));

    // Shows that the check can fail: it finds a charge and a refund that were booked twice.
    const promises = {
      agents: new Map(),
      lostOrders: new Map(),
      sessions: [],
      grants: new Map(),
      violations: [],
      outcomes: new Map(),
    };
    const book = (reference: string, from: string, to: string) =>
      sql`insert into credit_movements (user_id, from_account, to_account, amount_credits, reason, reference, created_at)
        select user_id, ${from}, ${to}, 250, 'agent_generation_essence-1', ${reference}, now() from accounts limit 1
      `.execute(database);
    await book("twice", "topup", "income");
    await book("refund:twice", "refunds", "reward");
    const wrong = await checkBooks(database, promises);
    t.ok(
      wrong.some((sentence) => /refund:twice gives back/.test(sentence)),
      wrong.slice(0, 5).join("\n"),
    );
  });
});
