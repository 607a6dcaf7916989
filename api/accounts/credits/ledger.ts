// Credits in double-entry books: each movement takes credits from one ledger account and adds them to another.
// Movements are only ever added. Their sum is the balance, which the database keeps in `credit_balances` (migration
// 0018). A reference makes a movement happen once. Row locks are taken in one order everywhere: account, agent, avatar
// session, and the account's row of `credit_balances` last. Adding a movement or an accrual takes the balance row.
// After that, a transaction must not lock any further account, agent or session. Transactions that keep this order
// cannot deadlock.
import { sql, type Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { Account, AccountStatus } from "../account.ts";
import { CREDIT_POOLS, type CreditPool, type LedgerAccount } from "../account-tables.ts";
import { PLAN_LIMITS } from "../plans/plans.ts";
import type { BillingLinks } from "./billing-links.ts";

/** An account may go this far below zero (a session's last seconds) before it is suspended. Source: the contract. */
const LOWEST_BALANCE_CREDITS = -11;

export interface Balance {
  /** Sum of the pools, in credits. */
  total: number;
  pools: Record<CreditPool, number>;
  /** What running work has cost so far; the pools are less this. */
  accruedCredits: number;
}

/** What an account may still spend: its pools, less what running sessions have accrued. */
export async function balanceOf(database: Queryable, userId: string): Promise<Balance> {
  const { booked, accruedCredits } = await readBalance(database, userId);
  return spendableOf(booked, accruedCredits);
}

/** Locks the account's balance until the transaction ends. Charges and accruals of the account wait for it. */
export async function lockBalance(transaction: Transaction<Tables>, userId: string): Promise<void> {
  await transaction
    .selectFrom("credit_balances")
    .select("user_id")
    .where("user_id", "=", userId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/** Sets what running work has accrued so far; 0 once it is charged. `reference` is that of the later charge. */
export async function setAccrued(
  transaction: Transaction<Tables>,
  { userId, reference, credits }: { userId: string; reference: string; credits: number },
): Promise<void> {
  if (credits === 0) {
    const accrual = transaction.deleteFrom("credit_accruals").where("user_id", "=", userId);
    await accrual.where("reference", "=", reference).execute();
    return;
  }
  await transaction
    .insertInto("credit_accruals")
    .values({ user_id: userId, reference, credits })
    .onConflict((conflict) =>
      conflict
        .columns(["user_id", "reference"])
        .doUpdateSet({ credits })
        .where("credit_accruals.credits", "<>", credits),
    )
    .execute();
}

export interface Accrual {
  userId: string;
  reference: string;
  /** Whole credits, above zero. */
  credits: number;
}

/** As `setAccrued`, for the running work of many accounts in one statement. Locks their balances in the order of their
 *  accounts, so that two of these statements cannot wait for each other. */
export async function setAllAccrued(transaction: Transaction<Tables>, accruals: readonly Accrual[]): Promise<void> {
  if (accruals.length === 0) return;
  await sql`
    insert into credit_accruals (user_id, reference, credits)
    select * from unnest(
      ${accruals.map(({ userId }) => userId)}::uuid[],
      ${accruals.map(({ reference }) => reference)}::text[],
      ${accruals.map(({ credits }) => credits)}::int[]
    ) as accrual (user_id, reference, credits)
    order by user_id, reference
    on conflict (user_id, reference) do update set credits = excluded.credits
      where credit_accruals.credits <> excluded.credits
  `.execute(transaction);
}

export interface Grant {
  userId: string;
  pool: CreditPool;
  /** Whole credits, above zero. */
  amountCredits: number;
  reason: string;
  /** Identifies this grant: a second one with the same reference changes nothing. */
  reference: string;
  at: Date;
}

/** Adds credits: top-ups are sold, all others issued. Returns false if this grant was made before. */
export async function grantCredits(database: Queryable, { pool, ...grant }: Grant): Promise<boolean> {
  return move(database, { ...grant, from: pool === "topup" ? "sold" : "issued", to: pool, agentCode: null });
}

/** Removes the remaining plan credits at the end of a month, except what running sessions have accrued. A negative
 *  balance stays. Returns the removed credits. */
export async function lapsePlanCredits(
  transaction: Transaction<Tables>,
  lapse: { userId: string; reference: string; at: Date },
): Promise<number> {
  await lockBalance(transaction, lapse.userId);
  const { pools } = await balanceOf(transaction, lapse.userId);
  if (pools.plan <= 0) return 0;
  const parts = { from: "plan", to: "lapsed", reason: "plan_credits_lapsed", agentCode: null } as const;
  const isNew = await move(transaction, { ...lapse, ...parts, amountCredits: pools.plan });
  return isNew ? pools.plan : 0;
}

export interface Charge {
  account: Account;
  /** Whole credits, zero or more. */
  amountCredits: number;
  /** Pricing code or other fixed word. */
  reason: string;
  /** Identifies this charge: a second one with the same reference changes nothing. */
  reference: string;
  agentCode: string | null;
  /** The API secret that ordered it. Default: not known, or known by the session that the reference names. */
  secretId?: string | null;
  /** Served time, in tenths of a second, of what keeps no record of it. */
  deciseconds?: number;
  at: Date;
  links: BillingLinks;
  /** Whether to charge even if the balance is too low, for time that was already served. Default false. */
  mayOverdraw?: boolean;
}

/** Charges credits: plan credits first, then rewards, then top-ups; the plan pool owes the rest. Returns false if this
 *  charge was made before. Throws INSUFFICIENT_BALANCE or ACCOUNT_SUSPENDED; the custom plan is never refused. */
export async function chargeCredits(transaction: Transaction<Tables>, charge: Charge): Promise<boolean> {
  const { userId } = charge.account;
  // Charges of one account wait for each other here, so that two cannot spend the same credits.
  await lockBalance(transaction, userId);
  const done = await transaction
    .selectFrom("credit_movements")
    .select("id")
    .where("user_id", "=", userId)
    .where("reference", "=", charge.reference)
    .executeTakeFirst();
  if (done || charge.amountCredits === 0) return false;
  const { booked, accruedCredits } = await readBalance(transaction, userId);
  if (!charge.mayOverdraw) {
    const { total } = spendableOf(booked, accruedCredits);
    assertMaySpend(charge.account, total, charge.amountCredits, charge.links);
  }
  const { reason, reference, agentCode, secretId, at } = charge;
  // The first part has all of the time, so that sums count it once.
  let { deciseconds } = charge;
  for (const [pool, amountCredits] of splitCharge(booked, charge.amountCredits)) {
    const part = { userId, from: pool, to: "income", amountCredits, deciseconds } as const;
    await move(transaction, { ...part, reason, reference, agentCode, secretId, at });
    deciseconds = undefined;
  }
  return true;
}

export interface Refund {
  userId: string;
  chargeReference: string;
  /** Whole credits. Default: all of the charge. */
  amountCredits?: number;
  at: Date;
}

/** Refunds a charge, or part of it, to the pools that it came from: the pool that was charged last is refunded first.
 *  A charge is refunded once, whatever the amount. Returns false if no such charge exists or it was refunded before. */
export async function refundCharge(transaction: Transaction<Tables>, refund: Refund): Promise<boolean> {
  const charges = await transaction
    .selectFrom("credit_movements")
    .selectAll()
    .where("user_id", "=", refund.userId)
    .where("reference", "in", [refund.chargeReference, refundReference(refund)])
    .execute();
  if (charges.some(({ reference }) => reference === refundReference(refund))) return false;
  let rest = refund.amountCredits ?? Number.POSITIVE_INFINITY;
  let isNew = false;
  for (const pool of CREDIT_POOLS.toReversed()) {
    for (const charge of charges.filter((entry) => entry.to_account === "income" && entry.from_account === pool)) {
      const amountCredits = Math.min(rest, charge.amount_credits);
      if (amountCredits === 0) continue;
      rest -= amountCredits;
      const added = await move(transaction, {
        userId: refund.userId,
        from: "refunds",
        to: pool,
        amountCredits,
        reason: `credit_refund_${charge.reason}`,
        reference: refundReference(refund),
        agentCode: charge.agent_code,
        secretId: charge.secret_id,
        at: refund.at,
      });
      isNew ||= added;
    }
  }
  return isNew;
}

/** The API secret that ordered what a charge paid for; null if that is not known. */
export async function findChargeSecret(database: Queryable, userId: string, reference: string): Promise<string | null> {
  const row = await database
    .selectFrom("credit_movements")
    .select("secret_id")
    .where("user_id", "=", userId)
    .where("reference", "=", reference)
    .executeTakeFirst();
  return row?.secret_id ?? null;
}

function refundReference({ chargeReference }: Refund): string {
  return `refund:${chargeReference}`;
}

/** Whether an account is suspended: by the operator, or by a balance too far below zero. The custom plan ignores its
 *  balance. */
export function standingOf(account: Account, balanceCredits: number): AccountStatus {
  if (account.status === "suspended" || PLAN_LIMITS[account.plan].isAdmissionFree) return account.status;
  return balanceCredits <= LOWEST_BALANCE_CREDITS ? "suspended" : "active";
}

/** Throws ACCOUNT_SUSPENDED for a suspended account. */
export function assertNotSuspended(account: Account, standing: AccountStatus): void {
  if (standing === "active") return;
  const message =
    account.status === "suspended"
      ? "This account is suspended. Contact the operator of the service."
      : "This account is suspended because its balance is too far below zero. Buy credits to continue.";
  throw new ServiceError("ACCOUNT_SUSPENDED", message);
}

/** Whether a balance is enough for `amountCredits` more. The custom plan is never refused. */
export function maySpend(account: Account, balanceCredits: number, amountCredits: number): boolean {
  return PLAN_LIMITS[account.plan].isAdmissionFree || balanceCredits >= amountCredits;
}

/** Throws ACCOUNT_SUSPENDED or INSUFFICIENT_BALANCE unless an account with this balance may spend `amountCredits` more.
 *  */
export function assertMaySpend(
  account: Account,
  balanceCredits: number,
  amountCredits: number,
  links: BillingLinks,
): void {
  assertNotSuspended(account, standingOf(account, balanceCredits));
  if (maySpend(account, balanceCredits, amountCredits)) return;
  throw new ServiceError(
    "INSUFFICIENT_BALANCE",
    `Not enough credits: ${amountCredits} needed, ${Math.max(0, balanceCredits)} available.`,
    { details: { topup_url: links.topupUrl } },
  );
}

/** The pools by their movements, and what running sessions have accrued. */
async function readBalance(
  database: Queryable,
  userId: string,
): Promise<{ booked: Record<CreditPool, number>; accruedCredits: number }> {
  const row = await database
    .selectFrom("credit_balances")
    .selectAll()
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return {
    booked: { plan: row.plan_credits, reward: row.reward_credits, topup: row.topup_credits },
    accruedCredits: row.accrued_credits,
  };
}

function spendableOf(booked: Record<CreditPool, number>, accruedCredits: number): Balance {
  const pools = { ...booked };
  for (const [pool, credits] of splitCharge(booked, accruedCredits)) pools[pool] -= credits;
  return { total: pools.plan + pools.reward + pools.topup, pools, accruedCredits };
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

interface Movement {
  userId: string;
  from: LedgerAccount;
  to: LedgerAccount;
  /** Whole credits, above zero. */
  amountCredits: number;
  reason: string;
  reference: string;
  agentCode: string | null;
  secretId?: string | null;
  deciseconds?: number;
  at: Date;
}

/** Adds a movement. Returns false if one with this reference between the same two ledger accounts exists. */
async function move(database: Queryable, movement: Movement): Promise<boolean> {
  const result = await database
    .insertInto("credit_movements")
    .values({
      user_id: movement.userId,
      from_account: movement.from,
      to_account: movement.to,
      amount_credits: movement.amountCredits,
      reason: movement.reason,
      reference: movement.reference,
      agent_code: movement.agentCode,
      secret_id: movement.secretId,
      deciseconds: movement.deciseconds,
      created_at: movement.at,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "reference", "from_account", "to_account"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}
