// API secrets in PostgreSQL, personal ones and those of organizations. Their values are never stored.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Queryable } from "../../kernel/database/database.ts";
import type { Account, AccountStatus } from "../account.ts";
import { type AccountRow, toAccount } from "../account-store.ts";
import { standingOf } from "../credits/ledger.ts";
import { generateApiSecret, hashApiSecret, lastFourOf } from "./api-secret.ts";

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

/** Aliases that callers choose have no colon. */
const CONSOLE_ALIAS = "console:";

export interface SecretSummary {
  alias: string;
  /** Last four characters of the value. */
  lastFour: string;
  createdAt: Date;
  /** To the minute; null if no use was noted. */
  lastUsedAt: Date | null;
}

/** A secret with its account. */
export interface SecretOwner {
  account: Account;
  secretId: string;
  isRevoked: boolean;
  /** The organization that the secret was issued for; null for a personal one. */
  organizationId: string | null;
  /** Whether the account is suspended, by its operator or by its balance. */
  standing: AccountStatus;
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

/** Adds a secret for a session of the console and returns its id. Its value is thrown away: it only stands behind what
 *  the session begins, which ends when this secret is revoked. */
export async function addConsoleSecret(
  database: Queryable,
  { userId, createdAt }: Pick<NewSecret, "userId" | "createdAt">,
): Promise<string> {
  const { id } = await database
    .insertInto("api_secrets")
    .values({
      user_id: userId,
      alias: CONSOLE_ALIAS + randomUUID(),
      secret_sha256: hashApiSecret(generateApiSecret()),
      last_four: "",
      created_at: createdAt,
      revoked_at: null,
      organization_id: null,
      is_console: true,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Personal secrets in use, oldest first. */
export async function listSecrets(database: Queryable, userId: string): Promise<SecretSummary[]> {
  const rows = await database
    .selectFrom("api_secrets")
    .select(["alias", "last_four", "created_at", "last_used_at"])
    .where("user_id", "=", userId)
    .where("organization_id", "is", null)
    .where("is_console", "=", false)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("alias")
    .execute();
  return rows.map((row) => ({
    alias: row.alias,
    lastFour: row.last_four,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }));
}

/** Revokes a personal secret by alias. Returns false if none in use has it. */
export async function revokeSecret(database: Queryable, userId: string, alias: string, now: Date): Promise<boolean> {
  const result = await database
    .updateTable("api_secrets")
    .set({ revoked_at: now })
    .where("user_id", "=", userId)
    .where("alias", "=", alias)
    .where("organization_id", "is", null)
    .where("is_console", "=", false)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Alias of a personal secret in use of the account, or null if there is no such secret. */
export async function findAlias(database: Queryable, userId: string, secret: string): Promise<string | null> {
  const row = await database
    .selectFrom("api_secrets")
    .select("alias")
    .where("secret_sha256", "=", hashApiSecret(secret))
    .where("user_id", "=", userId)
    .where("organization_id", "is", null)
    .where("is_console", "=", false)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return row?.alias ?? null;
}

/** The owner of a secret, also of a revoked one, or null. */
export function findBySecret(database: Queryable, secret: string): Promise<SecretOwner | null> {
  return findOwner(database, { secret_sha256: hashApiSecret(secret) });
}

/** As `findBySecret`, by the id that tokens carry. */
export function findBySecretId(database: Queryable, secretId: string): Promise<SecretOwner | null> {
  return findOwner(database, { id: secretId });
}

/** Columns that make a SecretOwner: those of `api_secrets`, of `accounts` and `SPENDABLE_CREDITS`. */
export interface OwnerRow extends AccountRow {
  secret_id: string;
  revoked_at: Date | null;
  organization_id: string | null;
  spendable_credits: number;
}

/** SQL of an account's balance, less what running sessions have accrued. `balance` names `credit_balances`. */
export const SPENDABLE_CREDITS =
  "balance.plan_credits + balance.reward_credits + balance.topup_credits - balance.accrued_credits";

export function toSecretOwner(row: OwnerRow): SecretOwner {
  const account = toAccount(row);
  return {
    account,
    secretId: row.secret_id,
    isRevoked: row.revoked_at !== null,
    organizationId: row.organization_id,
    standing: standingOf(account, row.spendable_credits),
  };
}

async function findOwner(
  database: Queryable,
  by: { id: string } | { secret_sha256: Buffer },
): Promise<SecretOwner | null> {
  const query = database
    .selectFrom("api_secrets")
    .innerJoin("accounts", "accounts.user_id", "api_secrets.user_id")
    .innerJoin("credit_balances as balance", "balance.user_id", "api_secrets.user_id")
    .selectAll("accounts")
    .select(["api_secrets.id as secret_id", "api_secrets.revoked_at", "api_secrets.organization_id"])
    .select(sql<number>`${sql.raw(SPENDABLE_CREDITS)}`.as("spendable_credits"));
  const row = await ("id" in by
    ? query.where("api_secrets.id", "=", by.id)
    : query.where("api_secrets.secret_sha256", "=", by.secret_sha256)
  ).executeTakeFirst();
  return row ? toSecretOwner(row) : null;
}
