// Charges for served time: exact to a tenth of a second, floored per charge, the rest carried to the account's next
// charge of the same pricing code.
import type { Transaction } from "kysely";
import type { Tables } from "../../kernel/database/database.ts";
import type { Account } from "../account.ts";
import type { BillingLinks } from "./billing-links.ts";
import { chargeCredits } from "./ledger.ts";

/** Carry units in a credit. A tenth of a second costs `rate` carry units, where `rate` is in credits per minute. */
export const UNITS_PER_CREDIT = 600;

export interface TimeCharge {
  account: Account;
  pricingCode: string;
  /** Identifies this charge in the ledger. */
  reference: string;
  /** Tenths of a second, times credits per minute. */
  units: number;
  agentCode: string | null;
  /** As those of a charge. */
  secretId?: string | null;
  deciseconds?: number;
  at: Date;
  links: BillingLinks;
}

/** Charges served time and returns its whole credits. The balance may go below zero: the time was served. The balance
 *  must be locked. */
export async function chargeTime(transaction: Transaction<Tables>, charge: TimeCharge): Promise<number> {
  const { account, pricingCode, reference, agentCode, secretId, deciseconds, at, links } = charge;
  const amountCredits = await carryOver(transaction, { ...charge, userId: account.userId });
  const details = { reason: pricingCode, reference, agentCode, secretId, deciseconds, at, links, mayOverdraw: true };
  await chargeCredits(transaction, { account, amountCredits, ...details });
  return amountCredits;
}

/** Whole credits of these units and of what earlier charges have left; keeps what is left now. */
async function carryOver(
  transaction: Transaction<Tables>,
  { userId, pricingCode, units }: { userId: string; pricingCode: string; units: number },
): Promise<number> {
  const carried = await transaction
    .selectFrom("meter_carries")
    .select("carry_units")
    .where("user_id", "=", userId)
    .where("pricing_code", "=", pricingCode)
    .executeTakeFirst();
  const total = units + (carried?.carry_units ?? 0);
  const carry = total % UNITS_PER_CREDIT;
  await transaction
    .insertInto("meter_carries")
    .values({ user_id: userId, pricing_code: pricingCode, carry_units: carry })
    .onConflict((conflict) => conflict.columns(["user_id", "pricing_code"]).doUpdateSet({ carry_units: carry }))
    .execute();
  return Math.floor(total / UNITS_PER_CREDIT);
}
