// Accounts in PostgreSQL. Their secrets are in `secrets/secret-store.ts`, their credits in `credits/ledger.ts`.
import { sql } from "kysely";
import type { Queryable } from "../kernel/database/database.ts";
import type { Account } from "./account.ts";
import type { Plan } from "./plans/plans.ts";

export interface NewAccount {
  email: string;
  plan: Plan;
  createdAt: Date;
}

/** Creates an account without secrets or credits. Returns null if the e-mail address is taken, ignoring case. */
export async function createAccount(database: Queryable, account: NewAccount): Promise<Account | null> {
  const row = await database
    .insertInto("accounts")
    .values({ email: account.email, plan: account.plan, created_at: account.createdAt })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** The account of an id, or null. With `lock` its row is held until the transaction ends. Rows that refer to it may
 *  still be added: their transactions may hold rows that this one locks later. */
export async function findAccount(
  database: Queryable,
  userId: string,
  options: { lock?: boolean } = {},
): Promise<Account | null> {
  let query = database.selectFrom("accounts").selectAll().where("user_id", "=", userId);
  if (options.lock) query = query.forNoKeyUpdate();
  const row = await query.executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** The account of an e-mail address, ignoring case, or null. */
export async function findAccountByEmail(database: Queryable, email: string): Promise<Account | null> {
  const row = await database
    .selectFrom("accounts")
    .selectAll()
    .where(sql`lower(email)`, "=", email.toLowerCase())
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** The newest accounts, at most `limit`. */
export async function listNewestAccounts(database: Queryable, limit: number): Promise<Account[]> {
  const rows = await database
    .selectFrom("accounts")
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return rows.map(toAccount);
}

/** Suspends or reactivates an account. */
export async function setAccountStatus(database: Queryable, userId: string, status: Account["status"]): Promise<void> {
  await database.updateTable("accounts").set({ status }).where("user_id", "=", userId).execute();
}

/** Suspends the runtime access of an account: token endpoints then refuse it. */
export async function suspendRuntime(database: Queryable, userId: string): Promise<void> {
  await database.updateTable("accounts").set({ is_runtime_suspended: true }).where("user_id", "=", userId).execute();
}

/** Restores runtime access. Returns whether it was suspended before. */
export async function resumeRuntime(database: Queryable, userId: string): Promise<boolean> {
  const result = await database
    .updateTable("accounts")
    .set({ is_runtime_suspended: false })
    .where("user_id", "=", userId)
    .where("is_runtime_suspended", "=", true)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Columns of `accounts` that make an Account. */
export interface AccountRow {
  user_id: string;
  email: string;
  plan: Plan;
  status: Account["status"];
  is_runtime_suspended: boolean;
  created_at: Date;
}

export function toAccount(row: AccountRow): Account {
  return {
    userId: row.user_id,
    email: row.email,
    plan: row.plan,
    status: row.status,
    isRuntimeSuspended: row.is_runtime_suspended,
    createdAt: row.created_at,
  };
}
