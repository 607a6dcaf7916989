// Credits as a ledger: entries are only ever added, a balance is their sum, and a reference makes every change happen once.
import { sql, type Transaction } from "kysely";
import { ServiceError } from "../../shared/errors.ts";
import type { Queryable, Tables } from "../database/database.ts";
import type { Account, AccountStatus } from "./account.ts";
import { findAccount } from "./account-store.ts";
import { CREDIT_POOLS, type CreditPool } from "./account-tables.ts";
import type { BillingLinks } from "./billing-links.ts";
import { PLAN_LIMITS } from "./plans.ts";

/** An account may go this far below zero (a session's last seconds) before it is suspended. Source: the contract. */
const LOWEST_BALANCE_CREDITS = -11;

export interface Balance {
  /** Sum of the pools, in credits. */
  total: number;
  pools: Record<CreditPool, number>;
}

/** The balance right now. */
export async function balanceOf(database: Queryable, userId: string): Promise<Balance> {
  const rows = await database
    .selectFrom("credit_entries")
    .select(["pool", sql<number>`sum(amount_credits)::int8`.as("amount")])
    .where("user_id", "=", userId)
    .groupBy("pool")
    .execute();
  const pools: Record<CreditPool, number> = { plan: 0, reward: 0, topup: 0 };
  for (const row of rows) pools[row.pool] = row.amount;
  return { total: pools.plan + pools.reward + pools.topup, pools };
}

export interface Grant {
  userId: string;
  pool: CreditPool;
  /** Whole credits, above zero. */
  amountCredits: number;
  reason: string;
  /** Names this grant: a second one of the same reference changes nothing. */
  reference: string;
  at: Date;
}

/** Adds credits. Returns false if this grant was made before. */
export async function grantCredits(database: Queryable, grant: Grant): Promise<boolean> {
  return addEntry(database, { ...grant, agentCode: null });
}

export interface Charge {
  account: Account;
  /** Whole credits, zero or more. */
  amountCredits: number;
  /** Pricing code or other fixed word. */
  reason: string;
  /** Names this charge: a second one of the same reference changes nothing. */
  reference: string;
  agentCode: string | null;
  at: Date;
  links: BillingLinks;
  /** Take the credits even if they are not there: for what was served already. Default false. */
  mayOverdraw?: boolean;
}

/** Takes credits: plan credits first, then rewards, then top-ups; what exceeds them is owed by the plan pool. Returns false if
 *  this charge was made before. Throws INSUFFICIENT_BALANCE or ACCOUNT_SUSPENDED; the custom plan is never refused. */
export async function chargeCredits(transaction: Transaction<Tables>, charge: Charge): Promise<boolean> {
  const { userId } = charge.account;
  // Charges of one account queue up here, so that two cannot spend the same credits.
  await findAccount(transaction, userId, { lock: true });
  const done = await transaction
    .selectFrom("credit_entries")
    .select("id")
    .where("user_id", "=", userId)
    .where("reference", "=", charge.reference)
    .executeTakeFirst();
  if (done || charge.amountCredits === 0) return false;
  const balance = await balanceOf(transaction, userId);
  if (!charge.mayOverdraw) assertMaySpend(charge.account, balance.total, charge.amountCredits, charge.links);
  for (const [pool, amountCredits] of splitCharge(balance.pools, charge.amountCredits)) {
    await addEntry(transaction, { ...charge, userId, pool, amountCredits: -amountCredits });
  }
  return true;
}

/** Gives back what a charge took, to the pools it came from. Returns false if there was no such charge or it was refunded. */
export async function refundCharge(
  transaction: Transaction<Tables>,
  refund: { userId: string; chargeReference: string; at: Date },
): Promise<boolean> {
  const entries = await transaction
    .selectFrom("credit_entries")
    .selectAll()
    .where("user_id", "=", refund.userId)
    .where("reference", "=", refund.chargeReference)
    .execute();
  let isNew = false;
  for (const entry of entries) {
    const added = await addEntry(transaction, {
      userId: refund.userId,
      pool: entry.pool,
      amountCredits: -entry.amount_credits,
      reason: `credit_refund_${entry.reason}`,
      reference: `refund:${refund.chargeReference}`,
      agentCode: entry.agent_code,
      at: refund.at,
    });
    isNew ||= added;
  }
  return isNew;
}

/** Whether an account is suspended: by the operator, or by a balance too far below zero, which never touches the custom plan. */
export function standingOf(account: Account, balanceCredits: number): AccountStatus {
  if (account.status === "suspended" || PLAN_LIMITS[account.plan].isAdmissionFree) return account.status;
  return balanceCredits <= LOWEST_BALANCE_CREDITS ? "suspended" : "active";
}

/** Throws unless an account with this balance may spend `amountCredits` more. */
export function assertMaySpend(
  account: Account,
  balanceCredits: number,
  amountCredits: number,
  links: BillingLinks,
): void {
  if (account.status === "suspended") {
    throw new ServiceError(
      "ACCOUNT_SUSPENDED",
      "This account is suspended. Write to the operator to have it reopened.",
    );
  }
  if (PLAN_LIMITS[account.plan].isAdmissionFree) return;
  if (standingOf(account, balanceCredits) === "suspended") {
    throw new ServiceError("ACCOUNT_SUSPENDED", "This account is suspended: its balance is too far below zero.");
  }
  if (balanceCredits < amountCredits) {
    throw new ServiceError(
      "INSUFFICIENT_BALANCE",
      `Not enough credits: ${amountCredits} needed, ${Math.max(0, balanceCredits)} available.`,
      { details: { topup_url: links.topupUrl } },
    );
  }
}

/** How a charge divides over the pools. Every amount is above zero. */
function splitCharge(pools: Record<CreditPool, number>, amountCredits: number): [CreditPool, number][] {
  const parts = new Map<CreditPool, number>();
  let rest = amountCredits;
  for (const pool of CREDIT_POOLS) {
    const taken = Math.min(rest, Math.max(0, pools[pool]));
    if (taken > 0) parts.set(pool, taken);
    rest -= taken;
  }
  if (rest > 0) parts.set("plan", (parts.get("plan") ?? 0) + rest);
  return [...parts];
}

interface Entry extends Grant {
  agentCode: string | null;
}

async function addEntry(database: Queryable, entry: Entry): Promise<boolean> {
  const result = await database
    .insertInto("credit_entries")
    .values({
      user_id: entry.userId,
      pool: entry.pool,
      amount_credits: entry.amountCredits,
      reason: entry.reason,
      reference: entry.reference,
      agent_code: entry.agentCode,
      created_at: entry.at,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "reference", "pool"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
