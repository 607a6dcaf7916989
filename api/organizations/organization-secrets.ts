// Secrets of an organization. A member issues them for itself, all members see them, and the issuer, the owner or an
// admin revokes them.
import type { Transaction } from "kysely";
import pg from "pg";
import { ServiceError } from "../../shared/errors.ts";
import { type IssuedSecret, randomSecretAlias } from "../accounts/secrets/issue-secret.ts";
import { addSecret, type SecretSummary } from "../accounts/secrets/secret-store.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";

/** Unique index: an alias occurs once among an organization's secrets in use. Created by migration 0008. */
const ALIAS_INDEX = "api_secrets_organization_alias";

export interface OrganizationSecret extends SecretSummary {
  /** Account that issued it, acts with it and pays for it. */
  userId: string;
}

/** Issues a secret. Without an alias it gets a random one. Throws CONFLICT if a secret in use has the alias; the
 *  transaction is then aborted. */
export async function issueOrganizationSecret(
  transaction: Transaction<Tables>,
  options: { organizationId: string; userId: string; alias: string | null; now: Date },
): Promise<IssuedSecret> {
  const { organizationId, userId, now: createdAt } = options;
  const alias = options.alias ?? randomSecretAlias();
  try {
    return { alias, secret: await addSecret(transaction, { userId, alias, createdAt, organizationId }) };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== ALIAS_INDEX) throw error;
    throw new ServiceError(
      "CONFLICT",
      `The organization already has a secret with the alias "${alias}". Revoke it or choose another alias.`,
    );
  }
}

/** Secrets in use, oldest first. */
export async function listOrganizationSecrets(
  database: Queryable,
  organizationId: string,
): Promise<OrganizationSecret[]> {
  const rows = await database
    .selectFrom("api_secrets")
    .select(["alias", "last_four", "created_at", "last_used_at", "user_id"])
    .where("organization_id", "=", organizationId)
    .where("revoked_at", "is", null)
    .orderBy("created_at")
    .orderBy("alias")
    .execute();
  return rows.map((row) => ({
    alias: row.alias,
    lastFour: row.last_four,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    userId: row.user_id,
  }));
}

/** Revokes secrets in use of an organization: all, those of one account, or the one with an alias. Returns their
 *  number. */
export async function revokeOrganizationSecrets(
  database: Queryable,
  { organizationId, userId, alias, at }: { organizationId: string; userId?: string; alias?: string; at: Date },
): Promise<number> {
  let query = database
    .updateTable("api_secrets")
    .set({ revoked_at: at })
    .where("organization_id", "=", organizationId)
    .where("revoked_at", "is", null);
  if (userId !== undefined) query = query.where("user_id", "=", userId);
  if (alias !== undefined) query = query.where("alias", "=", alias);
  return Number((await query.executeTakeFirst()).numUpdatedRows);
}
