// The account of a person who has signed in at an issuer.
import { ServiceError } from "../../../shared/errors.ts";
import type { Database } from "../../kernel/database/database.ts";
import { findAccountByEmail } from "../account-store.ts";
import type { Identity } from "./issuer.ts";

/** The account that the person has used before, else the one with their verified e-mail address, which is theirs from
 *  then on. Throws FORBIDDEN if there is none: operators create accounts. */
export async function accountOfIdentity(database: Database, identity: Identity, now: Date): Promise<string> {
  const { issuer, subject, verifiedEmail } = identity;
  const known = await database
    .selectFrom("issuer_identities")
    .select("user_id")
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  if (known) return known.user_id;
  const account = verifiedEmail === null ? null : await findAccountByEmail(database, verifiedEmail);
  if (account === null) {
    throw new ServiceError(
      "FORBIDDEN",
      verifiedEmail === null
        ? "The issuer has not verified your e-mail address, so it is not known which account is yours."
        : `There is no account for ${verifiedEmail} here. Ask the operator for one (avatar accounts create).`,
    );
  }
  await database
    .insertInto("issuer_identities")
    .values({ issuer, subject, user_id: account.userId, created_at: now })
    .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
    .execute();
  return account.userId;
}
