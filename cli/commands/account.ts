// `avatar account create`: opens an account in the service's database.
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { openAccount } from "../../api/accounts/open-account.ts";
import { PLANS, type Plan } from "../../api/accounts/plans.ts";
import { createDatabase } from "../../api/database/database.ts";
import { migrate } from "../../api/database/migrate.ts";
import { parseConfig } from "../../shared/config.ts";
import { createLogger } from "../../shared/log.ts";
import { CliError } from "../cli-error.ts";
import { readEnvFile } from "../start/env-file.ts";

interface CreateOptions {
  email: string;
  plan: Plan;
  credits: number;
  json?: boolean;
}

export function registerAccount(program: Command): void {
  const account = program.command("account").description("Accounts of this installation");
  account
    .command("create")
    .description("Open an account and show its API secret, this once")
    .requiredOption("--email <address>", "e-mail address; one account each", parseEmail)
    .addOption(new Option("--plan <plan>", "plan of the account").choices(PLANS).default("creator"))
    .option("--credits <n>", "credits to start with", parseCredits, 0)
    .option("--json", "one object on standard output: user_id, secret")
    .action(createAccount);
}

async function createAccount({ email, plan, credits, json }: CreateOptions): Promise<void> {
  const database = createDatabase({
    url: await findDatabaseUrl(),
    logger: createLogger({ level: "silent", name: "avatar" }),
    maxConnections: 1,
  });
  try {
    await migrate(database);
    const { userId, secret } = await openAccount(database, { email, plan, credits, now: new Date() });
    const text = json
      ? JSON.stringify({ schema_version: 1, user_id: userId, secret })
      : `Account ${userId} (${plan}, ${credits} credits)\nAPI secret, shown this once: ${secret}`;
    process.stdout.write(`${text}\n`);
  } finally {
    await database.destroy();
  }
}

/** `DATABASE_URL`, or the embedded server of this data folder, as `npm start` left word of it. */
async function findDatabaseUrl(): Promise<string> {
  const config = parseConfig(process.env);
  if (config.DATABASE_URL) return config.DATABASE_URL;
  const { DATABASE_URL: embedded } = await readEnvFile(join(config.AVATAR_DATA_DIR, "postgres.env"));
  if (embedded) return embedded;
  throw new CliError(
    "unavailable",
    `There is no database: neither DATABASE_URL nor one in ${config.AVATAR_DATA_DIR}.`,
    {
      hint: "Start the service first (npm start), or set DATABASE_URL.",
    },
  );
}

function parseEmail(text: string): string {
  if (z.email().safeParse(text).success) return text;
  throw new InvalidArgumentError("not an e-mail address");
}

function parseCredits(text: string): number {
  const credits = Number(text);
  if (Number.isInteger(credits) && credits >= 0 && credits <= 2_000_000_000) return credits;
  throw new InvalidArgumentError("a whole number, zero or more");
}
