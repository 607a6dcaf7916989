// Metrics of the ledger: new movements are counted once, and a balance that is not the sum of its movements is found.
import { sql } from "kysely";
import t from "tap";
import { chargeCredits } from "../../../../api/accounts/credits/ledger.ts";
import { addLedgerMetrics } from "../../../../api/accounts/credits/ledger-metrics.ts";
import { createMetrics } from "../../../../api/kernel/monitoring/metrics.ts";
import { withApi } from "../../../helpers/service/with-api.ts";

const SETTLED_MS = 10_000;

t.test("movements are counted by kind, each once, and a wrong balance is found", async (t) => {
  await withApi(
    async ({ services, addAccount, clock }) => {
      const { database } = services;
      clock.hold();
      const before = await addAccount({ credits: 50 });
      const metrics = createMetrics();
      addLedgerMetrics({ metrics, database, now: services.now, readEveryMs: 0 });
      const read = async () => (await metrics.registry.metrics()).split("\n");
      t.ok(
        (await read()).includes('avatar_service_credits_total{kind="issued"} 0'),
        "what was booked before is not new",
      );

      const { account } = await addAccount({ credits: 100 });
      const charge = { account, amountCredits: 30, reason: "test", agentCode: null, links: services.links };
      await database
        .transaction()
        .execute((transaction) =>
          chargeCredits(transaction, { ...charge, reference: "charge:1", at: new Date(services.now()) }),
        );
      t.ok((await read()).includes('avatar_service_credits_total{kind="income"} 0'), "a movement settles first");
      clock.advance(SETTLED_MS);
      await read();
      for (const round of ["counted", "not counted again"]) {
        const lines = await read();
        t.ok(lines.includes('avatar_service_credits_total{kind="income"} 30'), round);
        t.ok(lines.includes("avatar_ledger_mismatches 0"));
        t.ok(lines.some((line) => /^avatar_ledger_checked_accounts [1-9]/.test(line)));
      }

      await sql`update credit_balances set plan_credits = plan_credits + 1
        where user_id in (${before.account.userId}, ${account.userId})`.execute(database);
      const found = async () =>
        Number((await read()).find((line) => line.startsWith("avatar_ledger_mismatches"))?.split(" ")[1]);
      // All accounts are checked in turn; after the last one a round begins again.
      t.equal(Math.max(await found(), await found()), 2);
    },
    { background: false },
  );
});
