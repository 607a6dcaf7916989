// The signing key of an installation, kept in its database.
import { randomBytes } from "node:crypto";
import type { Database } from "../database/database.ts";

const SIGNING_KEY_BYTES = 32;

/** The installation's signing key (32 bytes), generated on first use. All api processes of one database share it, so
 *  that each accepts the tokens of the others. */
export async function ensureSigningKey(database: Database): Promise<Uint8Array> {
  await database
    .insertInto("settings")
    .values({ key: "signing_key", value: randomBytes(SIGNING_KEY_BYTES).toString("base64") })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const row = await database
    .selectFrom("settings")
    .select("value")
    .where("key", "=", "signing_key")
    .executeTakeFirstOrThrow();
  return Buffer.from(row.value, "base64");
}

/** Until when tokens signed directly with the signing key are accepted, in ms since the epoch: for an hour after an
 *  upgrade to keys by purpose, while these tokens are in use. 0 for other installations. */
export async function undividedKeyUntilMs(database: Database): Promise<number> {
  const row = await database
    .selectFrom("settings")
    .select("value")
    .where("key", "=", "undivided_key_until")
    .executeTakeFirst();
  return row === undefined ? 0 : Date.parse(row.value);
}
