// The link that `npm start` prints: it signs the operator in to the console.
import { findAccountByEmail } from "../../../api/accounts/account-store.ts";
import { OPERATOR_EMAIL } from "../../../api/accounts/operator-account.ts";
import { createSignInLink } from "../../../api/accounts/sign-in/sign-in-links.ts";
import { createClock } from "../../../api/kernel/clock.ts";
import { createDatabase, createPool } from "../../../api/kernel/database/database.ts";
import { createLogger } from "../../../program/log.ts";
import type { ServiceDetails } from "./service.ts";

/** Makes a link for the operator's account. Throws if the database does not answer. */
export async function makeOperatorLink({ config, databaseUrl: url }: ServiceDetails): Promise<string> {
  const pool = createPool({ url, logger: createLogger({ level: "silent", name: "start" }) });
  try {
    const database = createDatabase(pool);
    const operator = await findAccountByEmail(database, OPERATOR_EMAIL);
    if (!operator) throw new Error("the api makes the operator's account when it starts");
    const now = new Date(createClock(config.clock.startsAt)());
    const link = await createSignInLink(database, {
      userId: operator.userId,
      publicUrl: config.http.publicUrl,
      now,
    });
    return link.url;
  } finally {
    await pool.end();
  }
}
