// Metrics of the ledger: what is booked, and whether the kept balances are the sums of their movements. A scrape reads
// new movements and a few accounts, never the whole books.
import { sql } from "kysely";
import { Counter } from "prom-client";
import type { Kernel } from "../../kernel/kernel.ts";

/** New movements and balances are read at most this often, ms. */
const READ_EVERY_MS = 30_000;
/** Accounts with balances to be checked in one round: those of new movements first, then the others in turn. */
const CHECKED_ACCOUNTS = 20;
/** Movements are counted this long after their time, ms: a transaction may commit after one that began later. */
const SETTLED_MS = 5_000;
/** Movements counted in one round; the rest follows in the next. */
const COUNTED_MOVEMENTS = 5_000;
const KINDS = ["issued", "sold", "income", "refunds", "lapsed"] as const;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

export interface LedgerMetricsOptions extends Pick<Kernel, "metrics" | "database" | "now"> {
  /** Time between two reads, ms. Default 30,000. */
  readEveryMs?: number;
}

/** Registers the metrics. */
export function addLedgerMetrics({ metrics, database, now, readEveryMs = READ_EVERY_MS }: LedgerMetricsOptions): void {
  const booked = new Counter({
    name: "avatar_service_credits_total",
    help: "Credits booked by all processes since this one started, by the service's side of the ledger: issued, sold, income (spent), refunds, lapsed. The same in every api process: take the maximum of its rates, not their sum",
    labelNames: ["kind"],
    registers: [metrics.registry],
  });
  for (const kind of KINDS) booked.inc({ kind }, 0);
  let lastId: number | null = null;
  const touched = new Set<string>();
  let lastChecked = FIRST_ID;

  /** Counts the movements since the last round; the first round only notes where the books end. */
  async function countMovements(): Promise<void> {
    if (lastId === null) {
      const { last } = await database
        .selectFrom("credit_movements")
        .select(({ fn }) => fn.max<number | null>("id").as("last"))
        .executeTakeFirstOrThrow();
      lastId = last ?? 0;
      return;
    }
    const movements = await database
      .selectFrom("credit_movements")
      .select(["id", "user_id", "from_account", "to_account", "amount_credits", "created_at"])
      .where("id", ">", lastId)
      .orderBy("id")
      .limit(COUNTED_MOVEMENTS)
      .execute();
    for (const movement of movements) {
      if (movement.created_at.getTime() > now() - SETTLED_MS) break;
      const { from_account: from, to_account: to } = movement;
      const kind = KINDS.find((name) => name === from || name === to);
      if (kind !== undefined) booked.inc({ kind }, movement.amount_credits);
      touched.add(movement.user_id);
      lastId = movement.id;
    }
  }

  /** Accounts to check now. Those that are taken from `touched` leave it. */
  async function chooseAccounts(): Promise<string[]> {
    const recent = [...touched].slice(0, CHECKED_ACCOUNTS);
    for (const userId of recent) touched.delete(userId);
    const free = CHECKED_ACCOUNTS - recent.length;
    const others = await database
      .selectFrom("credit_balances")
      .select("user_id")
      .where("user_id", ">", lastChecked)
      .orderBy("user_id")
      .limit(free)
      .execute();
    // After the last account the first one follows.
    if (free > 0) lastChecked = others.length < free ? FIRST_ID : others[free - 1].user_id;
    return [...new Set([...recent, ...others.map(({ user_id: userId }) => userId)])];
  }

  /** One statement, so that both sides are of the same moment. */
  async function countMismatches(userIds: readonly string[]): Promise<number> {
    const { rows } = await sql<{ mismatches: number }>`
      select count(*)::int as mismatches
      from credit_balances balance
      cross join lateral (
        select
          coalesce(sum(pool_change('plan', from_account, to_account, amount_credits)), 0) as plan,
          coalesce(sum(pool_change('reward', from_account, to_account, amount_credits)), 0) as reward,
          coalesce(sum(pool_change('topup', from_account, to_account, amount_credits)), 0) as topup
        from credit_movements movement
        where movement.user_id = balance.user_id
      ) booked
      where balance.user_id = any(${userIds}::uuid[])
        and (balance.plan_credits, balance.reward_credits, balance.topup_credits)
          is distinct from (booked.plan, booked.reward, booked.topup)`.execute(database);
    return rows[0].mismatches;
  }

  metrics.gauges.add({
    part: "ledger",
    gauges: {
      mismatches: {
        name: "avatar_ledger_mismatches",
        help: "Accounts with another kept balance than the sum of their movements, in the last round",
      },
      checked: { name: "avatar_ledger_checked_accounts", help: "Accounts that were checked in the last round" },
    },
    maxAgeMs: readEveryMs,
    async read() {
      await countMovements();
      const userIds = await chooseAccounts();
      return { mismatches: await countMismatches(userIds), checked: userIds.length };
    },
  });
}
