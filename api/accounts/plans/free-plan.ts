// The end of api access on the Free plan: who is refused from when on, and what is said before.
import type { Queryable } from "../../kernel/database/database.ts";
import type { Account } from "../account.ts";

/** From here on an API secret of a Free account is refused. Source: the contract. */
export const FREE_ACCESS_ENDS_MS = Date.parse("2026-10-19T00:00:00Z");
/** Whether an account's plan lets its secrets use the api at `nowMs`. Top-up credits bought before 2026-09-27 still give a Free account
 *  access until they are spent. Source: the contract. */
export async function hasApiAccess(database: Queryable, account: Account, nowMs: number): Promise<boolean> {
  if (account.plan !== "free" || nowMs < FREE_ACCESS_ENDS_MS) return true;
  const { early_topup_credits: left } = await database
    .selectFrom("credit_balances")
    .select("early_topup_credits")
    .where("user_id", "=", account.userId)
    .executeTakeFirstOrThrow();
  return left > 0;
}

/** The notice that a Free account's answers carry until then, or null. To be shown as sent. */
export function planNotice(account: Account, nowMs: number): string | null {
  if (account.plan !== "free" || nowMs >= FREE_ACCESS_ENDS_MS) return null;
  return "API access on the Free plan ends on 19 October 2026 (00:00 UTC). Choose a paid plan to keep using the API.";
}
