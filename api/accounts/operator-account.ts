// The operator's own account, created at the first start.

import { ServiceError } from "../../shared/errors.ts";
import type { Database, Queryable } from "../kernel/database/database.ts";
import type { Account } from "./account.ts";
import { createAccount, findAccountByEmail } from "./account-store.ts";
import { grantCredits } from "./credits/ledger.ts";
import { addSecret, findBySecret } from "./secrets/secret-store.ts";

export const OPERATOR_EMAIL = "operator@localhost";
const STARTING_CREDITS = 1_000_000;

export interface OperatorOptions {
  database: Database;
  /** The operator's API secret, at least 32 characters. Added to the account if it is new. */
  secret: string;
  now: Date;
}

/** Creates the operator account if it does not exist, and adds `secret` to it if it is new. Idempotent, and safe to run
 *  in several processes at once. A revoked secret stays revoked. Throws if the secret belongs to another account. */
export function ensureOperatorAccount({ database, secret, now }: OperatorOptions): Promise<Account> {
  return database.transaction().execute(async (transaction) => {
    await createAccount(transaction, { email: OPERATOR_EMAIL, plan: "custom", createdAt: now });
    // The row is held, so that two processes that start together add the secret once.
    await transaction
      .selectFrom("accounts")
      .select("user_id")
      .where("email", "=", OPERATOR_EMAIL)
      .forNoKeyUpdate()
      .execute();
    const account = await findAccountByEmail(transaction, OPERATOR_EMAIL);
    if (!account) throw new Error("the operator account was deleted while it was being created");
    await grantCredits(transaction, {
      userId: account.userId,
      pool: "plan",
      amountCredits: STARTING_CREDITS,
      reason: "operator_start",
      reference: "operator-start",
      at: now,
    });
    const owner = await findBySecret(transaction, secret);
    if (owner && owner.account.userId !== account.userId) {
      throw new Error("AVATAR_OPERATOR_SECRET is the API secret of another account. Choose another value.");
    }
    if (!owner) {
      const { count } = await transaction
        .selectFrom("api_secrets")
        .select((fields) => fields.fn.countAll<number>().as("count"))
        .where("user_id", "=", account.userId)
        .where("is_console", "=", false)
        .executeTakeFirstOrThrow();
      await addSecret(transaction, { userId: account.userId, alias: `operator-${count + 1}`, createdAt: now, secret });
    }
    return account;
  });
}

/** Throws FORBIDDEN unless this is the operator's account. */
export function assertOperator(account: Account): void {
  if (isOperator(account)) return;
  throw new ServiceError("FORBIDDEN", "This page is for the operator of the service");
}

/** Whether this is the operator's account. */
export function isOperator({ email }: Pick<Account, "email">): boolean {
  return email === OPERATOR_EMAIL;
}

/** The operator account and its newest valid personal secret: this machine's own pages act for it; null if there is
 *  none. */
export async function findOperatorSecret(database: Queryable): Promise<{ userId: string; secretId: string } | null> {
  const row = await database
    .selectFrom("api_secrets")
    .innerJoin("accounts", "accounts.user_id", "api_secrets.user_id")
    .select(["accounts.user_id", "api_secrets.id"])
    .where("accounts.email", "=", OPERATOR_EMAIL)
    .where("organization_id", "is", null)
    .where("is_console", "=", false)
    .where("revoked_at", "is", null)
    .orderBy("api_secrets.created_at", "desc")
    .executeTakeFirst();
  return row ? { userId: row.user_id, secretId: row.id } : null;
}
