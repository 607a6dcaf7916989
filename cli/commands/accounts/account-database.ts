// What the `avatar accounts` commands share: the service's database, and the account that a command names.
import { z } from "zod";
import type { Account } from "../../../api/accounts/account.ts";
import { findAccount, findAccountByEmail } from "../../../api/accounts/account-store.ts";
import { createClock } from "../../../api/kernel/clock.ts";
import { createDatabase, type Database } from "../../../api/kernel/database/database.ts";
import { migrate } from "../../../api/kernel/database/migrate.ts";
import { MIGRATIONS } from "../../../api/migrations/migrations.ts";
import { parseConfig } from "../../../program/config.ts";
import { withServiceDatabase } from "../../start/postgres/service-database.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";

/** Migrates the database of the environment, runs `work` with it, the service's clock and its public URL, then closes
 *  it. */
export function withAccountDatabase(
  environment: Environment,
  work: (database: Database, now: Date, publicUrl: string) => Promise<void>,
): Promise<void> {
  const config = parseConfig(environment, ["database", "disk", "clock", "http"]);
  const now = new Date(createClock(config.clock.startsAt)());
  return withServiceDatabase(config, { mayCreate: false }, async (pool) => {
    const database = createDatabase(pool);
    await migrate(database, MIGRATIONS);
    await work(database, now, config.http.publicUrl);
  });
}

/** The account of an e-mail address or a user id. Throws a CliError if there is none. */
export async function requireAccount(database: Database, name: string): Promise<Account> {
  const isUserId = z.uuid().safeParse(name).success;
  const account = isUserId ? await findAccount(database, name) : await findAccountByEmail(database, name);
  if (account) return account;
  throw new CliError("no_input", `There is no account ${name}.`, {
    hint: "avatar accounts list shows all of them.",
  });
}
