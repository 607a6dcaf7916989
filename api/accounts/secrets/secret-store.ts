// The secrets of one account as its owner manages them: issued, listed, revoked. Their values are never stored.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import type { Database, Queryable } from "../../kernel/database/database.ts";
import { addSecret } from "../account-store.ts";

/** Unique index that keeps two secrets in use from having one alias; migration 0001 made it. */
const ALIAS_INDEX = "api_secrets_alias";
const RANDOM_ALIAS_BYTES = 4;

/** An alias: 1 to 32 characters that can stand in a path and a terminal; `cli@<host>` is one. */
export const secretAliasSchema = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9 ._@-]*[A-Za-z0-9])?$/, {
    error: "letters, digits, spaces, dots, underscores, @ and hyphens, with a letter or digit at both ends",
  });

export interface IssuedSecret {
  alias: string;
  /** Shown this once. */
  secret: string;
}

export interface SecretSummary {
  alias: string;
  /** Last four characters of the value. */
  lastFour: string;
  createdAt: Date;
}

/** Issues a secret; without an alias it gets a random one. It also gives runtime access back to an account that had revoked it.
 *  Throws CONFLICT if a secret in use has the alias. */
export async function issueSecret(
  database: Database,
  options: { userId: string; alias: string | null; now: Date },
): Promise<IssuedSecret> {
  const { userId, now: createdAt } = options;
  const alias = options.alias ?? `secret-${randomBytes(RANDOM_ALIAS_BYTES).toString("hex")}`;
  try {
    return await database.transaction().execute(async (transaction) => {
      const secret = await addSecret(transaction, { userId, alias, createdAt });
      await setRuntimeSuspended(transaction, userId, false);
      return { alias, secret };
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== ALIAS_INDEX) throw error;
    throw new ServiceError(
      "CONFLICT",
      `There is a secret with the alias "${alias}" already. Revoke it or choose another.`,
    );
  }
}

/** Personal secrets in use, oldest first. */
export async function listSecrets(database: Queryable, userId: string): Promise<SecretSummary[]> {
  const rows = await database
    .selectFrom("api_secrets")
    .select(["alias", "last_four", "created_at"])
    .where("user_id", "=", userId)
    .where("organization_id", "is", null)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("alias")
    .execute();
  return rows.map((row) => ({ alias: row.alias, lastFour: row.last_four, createdAt: row.created_at }));
}

/** Withdraws runtime access of a whole account, or gives it back. */
export async function setRuntimeSuspended(database: Queryable, userId: string, isSuspended: boolean): Promise<void> {
  await database
    .updateTable("accounts")
    .set({ is_runtime_suspended: isSuspended })
    .where("user_id", "=", userId)
    .where("is_runtime_suspended", "<>", isSuspended)
    .execute();
}
