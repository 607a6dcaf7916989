// Issues a personal API secret.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import type { Database } from "../../kernel/database/database.ts";
import { resumeRuntime } from "../account-store.ts";
import { addSecret, revokeSecret } from "./secret-store.ts";

/** Unique index: an alias occurs once among an account's secrets in use. Created by migration 0008. */
const ALIAS_INDEX = "api_secrets_alias";
const RANDOM_ALIAS_BYTES = 4;

export const MAX_ALIAS_CHARACTERS = 32;

/** An alias: 1 to 32 characters that are safe in a path and a terminal, for example `cli@<host>`. */
export const secretAliasSchema = z
  .string()
  .min(1)
  .max(MAX_ALIAS_CHARACTERS)
  .regex(/^[A-Za-z0-9](?:[A-Za-z0-9 ._@-]*[A-Za-z0-9])?$/, {
    error:
      "must consist of letters, digits, spaces, dots, underscores, @ and hyphens, with a letter or digit at both ends",
  });

export interface IssuedSecret {
  alias: string;
  /** Returned by this call only; the database holds a hash. */
  secret: string;
}

export interface IssueOptions {
  userId: string;
  /** Null for a random one. */
  alias: string | null;
  /** Whether suspended runtime access stays suspended. Default false. */
  keepsRuntimeSuspended?: boolean;
  /** Alias of a secret of the account that is revoked with this; it may be the alias of the new one. */
  replaces?: string;
  now: Date;
}

/** Issues a secret. As the contract says, it restores suspended runtime access (`hasResumedRuntime`), unless
 *  `keepsRuntimeSuspended` is set. Throws CONFLICT if a secret in use has the alias. */
export async function issueSecret(
  database: Database,
  options: IssueOptions,
): Promise<IssuedSecret & { hasResumedRuntime: boolean }> {
  const { userId, keepsRuntimeSuspended = false, replaces, now: createdAt } = options;
  const alias = options.alias ?? randomSecretAlias();
  try {
    return await database.transaction().execute(async (transaction) => {
      if (replaces !== undefined) await revokeSecret(transaction, userId, replaces, createdAt);
      const secret = await addSecret(transaction, { userId, alias, createdAt });
      const hasResumedRuntime = !keepsRuntimeSuspended && (await resumeRuntime(transaction, userId));
      return { alias, secret, hasResumedRuntime };
    });
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== ALIAS_INDEX) throw error;
    throw new ServiceError(
      "CONFLICT",
      `A secret with the alias "${alias}" already exists. Revoke it or choose another alias.`,
    );
  }
}

/** The alias of a secret that was issued without one. */
export function randomSecretAlias(): string {
  return `secret-${randomBytes(RANDOM_ALIAS_BYTES).toString("hex")}`;
}
