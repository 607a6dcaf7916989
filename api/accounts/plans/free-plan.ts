// The end of api access on the Free plan: its date, its exception, and the notice before it.
import type { Queryable } from "../../kernel/database/database.ts";
import type { Account } from "../account.ts";

/** From this time an API secret of a Free account is refused. Source: the contract. */
export const FREE_ACCESS_ENDS_MS = Date.parse("2026-10-19T00:00:00Z");
/** Whether an account's plan lets its secrets use the api at `nowMs`. Top-up credits bought before 2026-09-27 still
 *  give a Free account access until they are spent. Source: the contract. */
export async function hasApiAccess(database: Queryable, account: Account, nowMs: number): Promise<boolean> {
  if (account.plan !== "free" || nowMs < FREE_ACCESS_ENDS_MS) return true;
  const { early_topup_credits: left } = await database
    .selectFrom("credit_balances")
    .select("early_topup_credits")
    .where("user_id", "=", account.userId)
    .executeTakeFirstOrThrow();
  return left > 0;
}

/** The notice in answers to a Free account before that date, or null. Clients show it unchanged. */
export function planNotice(account: Account, nowMs: number): string | null {
  if (account.plan !== "free" || nowMs >= FREE_ACCESS_ENDS_MS) return null;
  return "API access on the Free plan ends on 19 October 2026 (00:00 UTC). Choose a paid plan to keep using the API.";
}
