// Converts served time to credits: exact to a tenth of a second, floored per session, the rest carried to the account's
// next session.
import type { Transaction } from "kysely";
import type { Account } from "../accounts/account.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { chargeCredits, lockBalance, setAccrued } from "../accounts/credits/ledger.ts";
import { pricingCodeOf, rateOf } from "../accounts/credits/price-list.ts";
import type { Tables } from "../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";

/** Carry units in a credit. A tenth of a second costs `rate` carry units, where `rate` is in credits per minute. */
const UNITS_PER_CREDIT = 600;

type Metered = Pick<AvatarSession, "family" | "isSelfHosted" | "servedDeciseconds">;

/** Whole credits that a running session has cost so far, without the account's carry. */
export function accruedCredits(session: Metered): number {
  return Math.floor((session.servedDeciseconds * rateOf(session)) / UNITS_PER_CREDIT);
}

/** Records the cost of a running session so far, so that no other charge spends those credits. */
export function accrueSession(transaction: Transaction<Tables>, session: AvatarSession): Promise<void> {
  const { userId } = session;
  return setAccrued(transaction, { userId, reference: referenceOf(session), credits: accruedCredits(session) });
}

export interface Settlement {
  session: AvatarSession;
  account: Account;
  links: BillingLinks;
  at: Date;
}

/** Charges an ended session, once, and returns its credits. The balance may go below zero: the time was served. */
export async function settleSession(
  transaction: Transaction<Tables>,
  { session, account, links, at }: Settlement,
): Promise<number> {
  const key = { user_id: session.userId, pricing_code: pricingCodeOf(session) };
  const reference = referenceOf(session);
  // Serialises sessions of one account that end together: the carry row may not exist yet, so it cannot be locked.
  await lockBalance(transaction, session.userId);
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
  await setAccrued(transaction, { userId: session.userId, reference, credits: 0 });
  await chargeCredits(transaction, {
    account,
    amountCredits: credits,
    reason: key.pricing_code,
    reference,
    agentCode: session.agentCode,
    at,
    links,
    mayOverdraw: true,
  });
  return credits;
}

/** Ledger reference of a session's charge. */
function referenceOf({ id }: AvatarSession): string {
  return `session:${id}`;
}
