// Links that sign a person in once. An operator makes them (`avatar accounts link`); `npm start` prints one.
import type { Queryable } from "../../kernel/database/database.ts";
import { createRandomValue, hashRandomValue } from "./random-value.ts";

/** How long a link works. */
export const SIGN_IN_LINK_MINUTES = 10;

export interface SignInLinkOptions {
  userId: string;
  /** Base of the link, without a trailing slash. */
  publicUrl: string;
  now: Date;
}

/** Makes a link. Its secret part is in the fragment, which browsers send to no server: opening the link alone uses up
 *  nothing. */
export async function createSignInLink(
  database: Queryable,
  { userId, publicUrl, now }: SignInLinkOptions,
): Promise<{ url: string; expiresAt: Date }> {
  const value = createRandomValue();
  const expiresAt = new Date(now.getTime() + SIGN_IN_LINK_MINUTES * 60_000);
  await database.deleteFrom("sign_in_links").where("expires_at", "<=", now).execute();
  await database
    .insertInto("sign_in_links")
    .values({ link_sha256: hashRandomValue(value), user_id: userId, expires_at: expiresAt })
    .execute();
  return { url: `${publicUrl}/console/sign-in#link=${value}`, expiresAt };
}

/** Uses up a link. Returns its account, or null for a link that is unknown, used or expired. */
export async function redeemSignInLink(database: Queryable, value: string, now: Date): Promise<string | null> {
  const row = await database
    .deleteFrom("sign_in_links")
    .where("link_sha256", "=", hashRandomValue(value))
    .returning(["user_id", "expires_at"])
    .executeTakeFirst();
  return row && row.expires_at > now ? row.user_id : null;
}
