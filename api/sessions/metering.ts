// From served time to credits: exact to a tenth of a second, floored per session, the rest carried to the account's next one.
import type { Transaction } from "kysely";
import type { Account } from "../accounts/account.ts";
import { findAccount } from "../accounts/account-store.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { chargeCredits } from "../accounts/credits/ledger.ts";
import { pricingCodeOf, rateOf } from "../accounts/credits/price-list.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";

/** A credit in carry units: at a rate in credits per minute, a tenth of a second costs `rate` of them. */
const UNITS_PER_CREDIT = 600;

type Metered = Pick<AvatarSession, "family" | "isSelfHosted" | "servedDeciseconds">;

/** Whole credits that a running session has cost so far, without any carry. */
export function accruedCredits(session: Metered): number {
  return Math.floor((session.servedDeciseconds * rateOf(session)) / UNITS_PER_CREDIT);
}

/** Charges an ended session, once, and returns its credits. The balance may go below zero: the time was served. */
export async function settleSession(
  transaction: Transaction<Tables>,
  session: AvatarSession,
  account: Account,
  links: BillingLinks,
  at: Date,
): Promise<number> {
  const key = { user_id: session.userId, pricing_code: pricingCodeOf(session) };
  // Sessions of one account that end together queue up here: the row that carries the rest may not be there yet to be held.
  await findAccount(transaction, session.userId, { lock: true });
  const carried = await transaction
    .selectFrom("meter_carries")
    .select("carry_units")
    .where("user_id", "=", key.user_id)
    .where("pricing_code", "=", key.pricing_code)
    .executeTakeFirst();
  const units = session.servedDeciseconds * rateOf(session) + (carried?.carry_units ?? 0);
  const credits = Math.floor(units / UNITS_PER_CREDIT);
  const carry = units % UNITS_PER_CREDIT;
  await transaction
    .insertInto("meter_carries")
    .values({ ...key, carry_units: carry })
    .onConflict((conflict) => conflict.columns(["user_id", "pricing_code"]).doUpdateSet({ carry_units: carry }))
    .execute();
  await chargeCredits(transaction, {
    account,
    amountCredits: credits,
    reason: key.pricing_code,
    reference: `session:${session.id}`,
    agentCode: session.agentCode,
    at,
    links,
    mayOverdraw: true,
  });
  return credits;
}

/** Credits that an account's running sessions have cost so far: not in the ledger yet, but spent. */
export async function accruedByAccount(database: Queryable, userId: string): Promise<number> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select(["family", "is_self_hosted", "served_deciseconds"])
    .where("user_id", "=", userId)
    .where("status", "<>", "ended")
    .execute();
  return rows.reduce(
    (sum, row) =>
      sum +
      accruedCredits({
        family: row.family,
        isSelfHosted: row.is_self_hosted,
        servedDeciseconds: row.served_deciseconds,
      }),
    0,
  );
}
