// Converts served time to credits: exact to a tenth of a second, floored per session, the rest carried to the account's
// next session.
import type { Transaction } from "kysely";
import type { Account } from "../accounts/account.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { lockBalance, setAccrued } from "../accounts/credits/ledger.ts";
import {
  CHAT_CREDITS_PER_MINUTE,
  CHAT_PRICING_CODE,
  pricingCodeOf,
  rateOf,
  type Serving,
} from "../accounts/credits/price-list.ts";
import { chargeTime, UNITS_PER_CREDIT } from "../accounts/credits/time-charge.ts";
import type { Tables } from "../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";

type Metered = Pick<AvatarSession, "family" | "isSelfHosted" | "servedDeciseconds" | "chatDeciseconds">;

/** Whole credits that a running session has cost so far, without the account's carry: of its model and its chat line.
 *  */
export function accruedCredits(session: Metered): number {
  return accruedModelCredits(session) + accruedChatCredits(session);
}

/** Of these, the credits of the model. */
export function accruedModelCredits(session: Omit<Metered, "chatDeciseconds">): number {
  return Math.floor((session.servedDeciseconds * rateOf(session)) / UNITS_PER_CREDIT);
}

/** Of these, the credits of the chat line. */
export function accruedChatCredits({ chatDeciseconds }: Pick<Metered, "chatDeciseconds">): number {
  return Math.floor((chatDeciseconds * CHAT_CREDITS_PER_MINUTE) / UNITS_PER_CREDIT);
}

/** Credits per minute of a session as it is served now. */
export function burnRateOf(session: Serving & Pick<AvatarSession, "mind">): number {
  return rateOf(session) + (session.mind === "model" ? CHAT_CREDITS_PER_MINUTE : 0);
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

/** Charges an ended session, once, and returns its credits. The chat line is a charge of its own with a carry of its
 *  own. The balance may go below zero: the time was served. */
export async function settleSession(
  transaction: Transaction<Tables>,
  { session, account, links, at }: Settlement,
): Promise<number> {
  const { userId } = session;
  // Serialises sessions of one account that end together: the carry row may not exist yet, so it cannot be locked.
  await lockBalance(transaction, userId);
  await setAccrued(transaction, { userId, reference: referenceOf(session), credits: 0 });
  const charge = (pricingCode: string, reference: string, units: number): Promise<number> =>
    chargeTime(transaction, { account, pricingCode, reference, units, agentCode: session.agentCode, at, links });
  const { servedDeciseconds, chatDeciseconds } = session;
  const credits = await charge(pricingCodeOf(session), referenceOf(session), servedDeciseconds * rateOf(session));
  if (chatDeciseconds === 0) return credits;
  const chatUnits = chatDeciseconds * CHAT_CREDITS_PER_MINUTE;
  return credits + (await charge(CHAT_PRICING_CODE, chatReferenceOf(session), chatUnits));
}

/** Ledger reference of a session's charge. */
function referenceOf({ id }: AvatarSession): string {
  return `session:${id}`;
}

/** Ledger reference of its chat line. `usage-store.ts` knows it too. */
function chatReferenceOf({ id }: AvatarSession): string {
  return `session:${id}:chat`;
}
