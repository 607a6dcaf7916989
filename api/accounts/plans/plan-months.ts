// The months of a plan. Each begins with a grant of the plan's credits; what remains of the previous month's credits
// lapses. Top-ups and rewards do not lapse. Each change of an account is one transaction that locks its row, so that no
// month is granted twice.
import { sql, type Transaction } from "kysely";
import { ServiceError } from "../../../shared/errors.ts";
import type { Database, Queryable, Tables } from "../../kernel/database/database.ts";
import { findAccount } from "../account-store.ts";
import { grantCredits, lapsePlanCredits } from "../credits/ledger.ts";
import { PLAN_LIMITS, type Plan } from "./plans.ts";

/** Reason of a month's grant in the ledger. */
const REASON = "plan_credits";

/** `count` months after a moment, on the same day at the same time (UTC), or on the last day of a month that is
 *  shorter. */
export function addMonths(moment: Date, count: number): Date {
  const year = moment.getUTCFullYear();
  const month = moment.getUTCMonth() + count;
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const result = new Date(moment);
  result.setUTCDate(1);
  result.setUTCFullYear(year, month, Math.min(moment.getUTCDate(), lastDay));
  return result;
}

/** Begins the months of an account's plan at `now` and grants the first month's credits, less those granted in the
 *  month before `now`: leaving a plan and coming back brings no second grant. Does nothing for a plan without credits.
 *  */
export async function beginPlanMonths(
  transaction: Transaction<Tables>,
  { userId, plan, now }: { userId: string; plan: Plan; now: Date },
): Promise<void> {
  if (PLAN_LIMITS[plan].monthlyCredits === 0) return;
  await setMonths(transaction, userId, { anchor: now, renewsAt: addMonths(now, 1) });
  await grantMonth(transaction, { userId, plan, monthStart: now, since: addMonths(now, -1), now });
}

/** Changes an account's plan at once. A larger plan grants what the current month lacks, a smaller one takes nothing
 *  back. Later months are the new plan's. Throws NOT_FOUND if the account does not exist. */
export async function changePlan(
  transaction: Transaction<Tables>,
  { userId, plan, now }: { userId: string; plan: Plan; now: Date },
): Promise<void> {
  if (!(await findAccount(transaction, userId, { lock: true })))
    throw new ServiceError("NOT_FOUND", "The account does not exist");
  await transaction.updateTable("accounts").set({ plan }).where("user_id", "=", userId).execute();
  const months = await findMonths(transaction, userId);
  if (PLAN_LIMITS[plan].monthlyCredits === 0) return setMonths(transaction, userId, null);
  if (months === null) return beginPlanMonths(transaction, { userId, plan, now });
  const { anchor, renewsAt } = months;
  if (renewsAt <= now) return beginNextMonth(transaction, { userId, plan, anchor, now });
  const monthStart = monthOf(anchor, now);
  await grantMonth(transaction, { userId, plan, monthStart, since: monthStart, now });
}

/** When an account's plan renews next; null if its credits do not renew. */
export async function findRenewal(database: Queryable, userId: string): Promise<Date | null> {
  return (await findMonths(database, userId))?.renewsAt ?? null;
}

/** Renews every plan that is due. Accounts suspended by the operator are renewed once they are resumed. If several
 *  months were missed, only the current one is granted. Safe to run in several processes. Returns the number of
 *  accounts renewed. */
export async function renewPlans(database: Database, now: Date): Promise<number> {
  for (let renewed = 0; ; renewed++) {
    const isMore = await database.transaction().execute((transaction) => renewNext(transaction, now));
    if (!isMore) return renewed;
  }
}

async function renewNext(transaction: Transaction<Tables>, now: Date): Promise<boolean> {
  const due = await transaction
    .selectFrom("accounts")
    .select(["user_id", "plan", "plan_anchor_at"])
    .where("plan_renews_at", "<=", now)
    .where("status", "=", "active")
    .orderBy("plan_renews_at")
    .limit(1)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!due?.plan_anchor_at) return false;
  await beginNextMonth(transaction, { userId: due.user_id, plan: due.plan, anchor: due.plan_anchor_at, now });
  return true;
}

/** Moves an account, with its row held, into the month that contains `now`. */
async function beginNextMonth(
  transaction: Transaction<Tables>,
  { userId, plan, anchor, now }: { userId: string; plan: Plan; anchor: Date; now: Date },
): Promise<void> {
  const monthStart = monthOf(anchor, now);
  await lapsePlanCredits(transaction, { userId, reference: `plan-lapse:${monthStart.toISOString()}`, at: now });
  await grantMonth(transaction, { userId, plan, monthStart, since: monthStart, now });
  await setMonths(transaction, userId, { anchor, renewsAt: addMonths(anchor, monthsBetween(anchor, now) + 1) });
}

/** Grants the plan's monthly credits, less the plan credits granted from `since` on. */
async function grantMonth(
  transaction: Transaction<Tables>,
  grant: { userId: string; plan: Plan; monthStart: Date; since: Date; now: Date },
): Promise<void> {
  const { userId, plan, now } = grant;
  const { granted } = await transaction
    .selectFrom("credit_movements")
    .select(sql<number>`coalesce(sum(amount_credits), 0)::int8`.as("granted"))
    .where("user_id", "=", userId)
    .where("reason", "=", REASON)
    .where("created_at", ">=", grant.since)
    .executeTakeFirstOrThrow();
  const amountCredits = PLAN_LIMITS[plan].monthlyCredits - granted;
  if (amountCredits <= 0) return;
  const reference = `plan-month:${grant.monthStart.toISOString()}:${plan}`;
  await grantCredits(transaction, { userId, pool: "plan", amountCredits, reason: REASON, reference, at: now });
}

interface Months {
  anchor: Date;
  renewsAt: Date;
}

async function findMonths(database: Queryable, userId: string): Promise<Months | null> {
  const { plan_anchor_at: anchor, plan_renews_at: renewsAt } = await database
    .selectFrom("accounts")
    .select(["plan_anchor_at", "plan_renews_at"])
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return anchor && renewsAt ? { anchor, renewsAt } : null;
}

async function setMonths(database: Queryable, userId: string, months: Months | null): Promise<void> {
  await database
    .updateTable("accounts")
    .set({ plan_anchor_at: months?.anchor ?? null, plan_renews_at: months?.renewsAt ?? null })
    .where("user_id", "=", userId)
    .execute();
}

/** Start of the month that contains `now`. */
function monthOf(anchor: Date, now: Date): Date {
  return addMonths(anchor, monthsBetween(anchor, now));
}

/** Whole months from `anchor` to `moment`, zero or more. */
function monthsBetween(anchor: Date, moment: Date): number {
  const years = moment.getUTCFullYear() - anchor.getUTCFullYear();
  const calendarMonths = Math.max(0, years * 12 + moment.getUTCMonth() - anchor.getUTCMonth());
  return addMonths(anchor, calendarMonths) <= moment ? calendarMonths : Math.max(0, calendarMonths - 1);
}
