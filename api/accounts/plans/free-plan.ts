// The end of api access on the Free plan: who is refused from when on, and what is said before.
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";
import type { Account } from "../account.ts";

/** From here on an API secret of a Free account is refused. Source: the contract. */
export const FREE_ACCESS_ENDS_MS = Date.parse("2026-10-19T00:00:00Z");
/** Top-up credits bought before this still give a Free account access, until they are spent. Source: the contract. */
const TOPUP_GRACE_BEFORE = new Date("2026-09-27T00:00:00Z");

/** Whether an account's plan lets its secrets use the api at `nowMs`. */
export async function hasApiAccess(database: Queryable, account: Account, nowMs: number): Promise<boolean> {
  if (account.plan !== "free" || nowMs < FREE_ACCESS_ENDS_MS) return true;
  // Top-ups are spent oldest first: what is left of the old ones is their sum less all that was spent from the pool since, unless
  // it was given back.
  const { left } = await database
    .selectFrom("credit_movements")
    .select(
      sql<number>`coalesce(sum(case when to_account = 'topup' then amount_credits else -amount_credits end), 0)::int8`.as(
        "left",
      ),
    )
    .where("user_id", "=", account.userId)
    .where((movement) =>
      movement.or([
        movement("from_account", "=", "topup"),
        movement("to_account", "=", "topup").and("from_account", "=", "refunds"),
        movement("to_account", "=", "topup").and("created_at", "<", TOPUP_GRACE_BEFORE),
      ]),
    )
    .executeTakeFirstOrThrow();
  return left > 0;
}

/** The notice that a Free account's answers carry until then, or null. To be shown as sent. */
export function planNotice(account: Account, nowMs: number): string | null {
  if (account.plan !== "free" || nowMs >= FREE_ACCESS_ENDS_MS) return null;
  return "API access on the Free plan ends on 19 October 2026 (00:00 UTC). Choose a paid plan to keep using the API.";
}
