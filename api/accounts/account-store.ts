// Accounts and their secrets in PostgreSQL.
import { sql } from "kysely";
import type { Queryable } from "../kernel/database/database.ts";
import type { Account } from "./account.ts";
import type { Plan } from "./plans/plans.ts";
import { generateApiSecret, hashApiSecret, lastFourOf } from "./secrets/api-secret.ts";

export interface NewAccount {
  email: string;
  plan: Plan;
  createdAt: Date;
}

export interface SecretOwner {
  account: Account;
  secretId: string;
  isRevoked: boolean;
  /** The organization that the secret was issued for; null for a personal one. */
  organizationId: string | null;
}

/** Creates an account without secrets or credits. Returns null if the e-mail address is taken, whatever its case. */
export async function createAccount(database: Queryable, account: NewAccount): Promise<Account | null> {
  const row = await database
    .insertInto("accounts")
    .values({ email: account.email, plan: account.plan, created_at: account.createdAt })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toAccount(row) : null;
}

/** The account of an id, or null. With `lock` its row is held until the transaction ends. Rows that refer to it may still be added:
 *  their transactions may hold rows that this one locks later. */
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

/** The account of an e-mail address, whatever its case, or null. */
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

/** Suspends an account or reopens it. */
export async function setAccountStatus(database: Queryable, userId: string, status: Account["status"]): Promise<void> {
  await database.updateTable("accounts").set({ status }).where("user_id", "=", userId).execute();
}

export interface NewSecret {
  userId: string;
  /** Unique among the secrets in use of the account, or of the organization. */
  alias: string;
  createdAt: Date;
  /** Default: a personal secret. */
  organizationId?: string;
  /** Default: a generated one. */
  secret?: string;
}

/** Adds a secret and returns its value. Rejects with the database's error if the alias or the secret is taken. */
export async function addSecret(database: Queryable, options: NewSecret): Promise<string> {
  const secret = options.secret ?? generateApiSecret();
  await database
    .insertInto("api_secrets")
    .values({
      user_id: options.userId,
      alias: options.alias,
      secret_sha256: hashApiSecret(secret),
      last_four: lastFourOf(secret),
      created_at: options.createdAt,
      revoked_at: null,
      organization_id: options.organizationId ?? null,
    })
    .execute();
  return secret;
}

/** Revokes a personal secret by alias. Returns whether there was one. */
export async function revokeSecret(database: Queryable, userId: string, alias: string, now: Date): Promise<boolean> {
  const result = await database
    .updateTable("api_secrets")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("alias", "=", alias)
    .where("organization_id", "is", null)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whose secret this is, revoked ones included, or null. */
export function findBySecret(database: Queryable, secret: string): Promise<SecretOwner | null> {
  return findOwner(database, { secret_sha256: hashApiSecret(secret) });
}

/** As `findBySecret`, by the id that tokens carry. */
export function findBySecretId(database: Queryable, secretId: string): Promise<SecretOwner | null> {
  return findOwner(database, { id: secretId });
}

async function findOwner(
  database: Queryable,
  by: { id: string } | { secret_sha256: Buffer },
): Promise<SecretOwner | null> {
  const query = database
    .selectFrom("api_secrets")
    .innerJoin("accounts", "accounts.user_id", "api_secrets.user_id")
    .selectAll("accounts")
    .select(["api_secrets.id as secret_id", "api_secrets.revoked_at", "api_secrets.organization_id"]);
  const row = await ("id" in by
    ? query.where("api_secrets.id", "=", by.id)
    : query.where("api_secrets.secret_sha256", "=", by.secret_sha256)
  ).executeTakeFirst();
  if (!row) return null;
  const { secret_id: secretId, organization_id: organizationId } = row;
  return { account: toAccount(row), secretId, isRevoked: row.revoked_at !== null, organizationId };
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
