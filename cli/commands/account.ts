// `avatar account …`: opens, lists, shows and tops up accounts in the service's database, for its operator.
import { randomUUID } from "node:crypto";
import { type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { CREDIT_POOLS, type CreditPool } from "../../api/accounts/account-tables.ts";
import { balanceOf, grantCredits } from "../../api/accounts/ledger.ts";
import { openAccount } from "../../api/accounts/open-account.ts";
import { PLANS, type Plan } from "../../api/accounts/plans.ts";
import { issueSecret, secretAliasSchema } from "../../api/accounts/secret-store.ts";
import { writeJson } from "../write-json.ts";
import { parseCredits, requireAccount, withAccountDatabase } from "./account-database.ts";
import { listAccounts, showAccount } from "./account-views.ts";

const ACCOUNT_ARGUMENT = ["<account>", "e-mail address or user id"] as const;

interface CreateOptions {
  email: string;
  plan: Plan;
  credits: number;
  json?: boolean;
}

interface TopupOptions {
  credits: number;
  pool: CreditPool;
  reference?: string;
  json?: boolean;
}

export function registerAccount(program: Command): void {
  const account = program.command("account").description("Accounts of this installation");
  account
    .command("create")
    .description("Open an account and show its API secret, this once")
    .requiredOption("--email <address>", "e-mail address; one account each", parseEmail)
    .addOption(new Option("--plan <plan>", "plan of the account").choices(PLANS).default("creator"))
    .option("--credits <n>", "credits to start with", (text) => parseCredits(text, 0), 0)
    .option("--json", "one object on standard output: user_id, secret")
    .action(createAccount);
  account
    .command("list")
    .description("List accounts, newest first, with their balances")
    .option("--limit <n>", "most accounts to list", parseLimit, 50)
    .option("--json", "print one object")
    .action(listAccounts);
  account
    .command("show")
    .description("Show an account: plan, credits by pool, secrets in use")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "print one object")
    .action(showAccount);
  account
    .command("topup")
    .description("Add credits to an account")
    .argument(...ACCOUNT_ARGUMENT)
    .requiredOption("--credits <n>", "credits to add", (text) => parseCredits(text, 1))
    .addOption(
      new Option("--pool <pool>", "where they are kept; plan is spent first").choices(CREDIT_POOLS).default("topup"),
    )
    .option("--reference <text>", "names this top-up, so that repeating it adds nothing")
    .option("--json", "one object on standard output: user_id, added, balance")
    .action(topUpAccount);
  account
    .command("add-secret")
    .description("Issue an API secret and show it, this once")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--alias <name>", "its name, 1 to 32 characters; default: a random one", parseAlias)
    .option("--json", "one object on standard output: user_id, alias, secret")
    .action(addAccountSecret);
}

function createAccount({ email, plan, credits, json }: CreateOptions): Promise<void> {
  return withAccountDatabase(async (database) => {
    const { userId, secret } = await openAccount(database, { email, plan, credits, now: new Date() });
    if (json) return writeJson({ user_id: userId, secret });
    process.stdout.write(`Account ${userId} (${plan}, ${credits} credits)\nAPI secret, shown this once: ${secret}\n`);
  });
}

function topUpAccount(name: string, { credits, pool, reference, json }: TopupOptions): Promise<void> {
  return withAccountDatabase(async (database) => {
    const { userId, email } = await requireAccount(database, name);
    const isNew = await grantCredits(database, {
      userId,
      pool,
      amountCredits: credits,
      reason: "operator_topup",
      reference: `operator-topup:${reference ?? randomUUID()}`,
      at: new Date(),
    });
    const { total } = await balanceOf(database, userId);
    if (json) return writeJson({ user_id: userId, added: isNew ? credits : 0, pool, balance: total });
    const what = isNew ? `${credits} ${pool} credits added to ${email}` : "This top-up was made before: nothing added";
    process.stdout.write(`${what}. Balance: ${total} credits.\n`);
  });
}

function addAccountSecret(name: string, { alias, json }: { alias?: string; json?: boolean }): Promise<void> {
  return withAccountDatabase(async (database) => {
    const { userId } = await requireAccount(database, name);
    const issued = await issueSecret(database, { userId, alias: alias ?? null, now: new Date() });
    if (json) return writeJson({ user_id: userId, ...issued });
    process.stdout.write(`API secret "${issued.alias}", shown this once: ${issued.secret}\n`);
  });
}

function parseEmail(text: string): string {
  if (z.email().safeParse(text).success) return text;
  throw new InvalidArgumentError("not an e-mail address");
}

function parseAlias(text: string): string {
  const parsed = secretAliasSchema.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(parsed.error.issues[0].message);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InvalidArgumentError("a whole number from 1 to 1000");
}
