// `avatar accounts …`: the operator opens, shows, credits, changes and suspends accounts in the service's database.
import { randomUUID } from "node:crypto";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import type { AccountStatus } from "../../../api/accounts/account.ts";
import { setAccountStatus } from "../../../api/accounts/account-store.ts";
import { CREDIT_POOLS, type CreditPool } from "../../../api/accounts/account-tables.ts";
import { balanceOf, grantCredits } from "../../../api/accounts/credits/ledger.ts";
import { openAccount } from "../../../api/accounts/open-account.ts";
import { changePlan, renewPlans } from "../../../api/accounts/plans/plan-months.ts";
import { PLAN_LIMITS, PLANS, type Plan } from "../../../api/accounts/plans/plans.ts";
import { issueSecret, secretAliasSchema } from "../../../api/accounts/secrets/issue-secret.ts";
import { revokeSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { createSignInLink, SIGN_IN_LINK_MINUTES } from "../../../api/accounts/sign-in/sign-in-links.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { parseCredits, requireAccount, withAccountDatabase } from "./account-database.ts";
import { listAccounts, showAccount } from "./account-views.ts";

const ACCOUNT_ARGUMENT = ["<account>", "e-mail address or user id"] as const;

interface JsonOption {
  json?: boolean;
}

interface AliasOption extends JsonOption {
  alias?: string;
}

interface CreateOptions extends JsonOption {
  email: string;
  plan: Plan;
  credits?: number;
}

interface GrantOptions extends JsonOption {
  credits: number;
  pool: CreditPool;
  reference?: string;
}

export function registerAccounts(program: Command, environment: Environment): void {
  addCommands(program.command("accounts").description("Accounts of this installation"), environment);
}

/** The former spelling, which scripts of operators still use. */
export function registerAccount(program: Command, environment: Environment): void {
  const account = program.command("account", { hidden: true }).description("Accounts of this installation");
  account.hook("preAction", (_, command) => {
    // With --json, standard error has one object or nothing.
    if (!command.opts<JsonOption>().json) writeNote("avatar account is now avatar accounts.");
  });
  addCommands(account, environment);
}

function addCommands(account: Command, environment: Environment): void {
  account
    .command("create")
    .description("Create an account and show its API secret once")
    .requiredOption("--email <address>", "e-mail address; one account each", parseEmail)
    .addOption(new Option("--plan <plan>", "plan of the account").choices(PLANS).default("creator"))
    .option("--credits <n>", "credits to start with, once; default: the plan's, renewed every month", (text) =>
      parseCredits(text, 0),
    )
    .option("--json", "one object on standard output: user_id, secret")
    .action((options: CreateOptions) => createAccount(environment, options));
  account
    .command("list")
    .description("List accounts, newest first, with their balances")
    .option("--limit <n>", "most accounts to list", parseLimit, 50)
    .option("--json", "print one object")
    .action((options: { limit: number; json?: boolean }) => listAccounts(environment, options));
  account
    .command("show")
    .description("Show an account: plan, credits by pool, secrets in use")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "print one object")
    .action((name: string, options: JsonOption) => showAccount(environment, name, options));
  account
    .command("link")
    .description(`Make a link that signs a person in to the console, once, within ${SIGN_IN_LINK_MINUTES} minutes`)
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, url, expires_at")
    .action((name: string, options: JsonOption) => makeLink(environment, name, options));
  registerGrant(account, environment, {
    name: "topup",
    description: "Add purchased credits to an account; the Free plan cannot buy top-ups",
    pool: "topup",
  });
  registerGrant(account, environment, {
    name: "grant",
    description: "Grant credits to an account, as a reward unless another pool is named",
    pool: "reward",
  });
  account
    .command("set-plan")
    .description("Change the plan of an account now. The new plan's monthly credits are added; no credits are removed")
    .argument(...ACCOUNT_ARGUMENT)
    .addArgument(new Argument("<plan>", "its new plan").choices(PLANS))
    .option("--json", "one object on standard output: user_id, plan, balance")
    .action((name: string, plan: Plan, options: JsonOption) => setPlan(environment, { name, plan, ...options }));
  account
    .command("suspend")
    .description("Suspend an account: it cannot spend credits, and its avatar sessions end")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, account_status")
    .action((name: string, options: JsonOption) => setStatus(environment, name, { status: "suspended", ...options }));
  account
    .command("resume")
    .description("Reactivate a suspended account")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, account_status")
    .action((name: string, options: JsonOption) => setStatus(environment, name, { status: "active", ...options }));
  account
    .command("add-secret")
    .description("Issue an API secret and show it once")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--alias <name>", "its name, 1 to 32 characters; default: a random one", parseAlias)
    .option("--json", "one object on standard output: user_id, alias, secret")
    .action((name: string, options: AliasOption) => addAccountSecret(environment, name, options));
  account
    .command("revoke-secret")
    .description("Revoke an API secret immediately and permanently")
    .argument(...ACCOUNT_ARGUMENT)
    .requiredOption("--alias <name>", "its name, as `show` lists it")
    .option("--json", "one object on standard output: user_id, alias")
    .action((name: string, options: JsonOption & { alias: string }) => revokeAccountSecret(environment, name, options));
}

/** A command that adds credits to `pool` by default. */
function registerGrant(
  account: Command,
  environment: Environment,
  command: { name: string; description: string; pool: CreditPool },
): void {
  account
    .command(command.name)
    .description(command.description)
    .argument(...ACCOUNT_ARGUMENT)
    .requiredOption("--credits <n>", "credits to add", (text) => parseCredits(text, 1))
    .addOption(
      new Option("--pool <pool>", "where they are kept; plan is spent first, and lapses if it renews")
        .choices(CREDIT_POOLS)
        .default(command.pool),
    )
    .option("--reference <text>", "names this grant, so that repeating it adds nothing")
    .option("--json", "one object on standard output: user_id, added, balance")
    .action((name: string, options: GrantOptions) =>
      addCredits(environment, name, { ...options, command: command.name }),
    );
}

function createAccount(environment: Environment, options: CreateOptions): Promise<void> {
  const { email, plan, credits, json } = options;
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, secret } = await openAccount(database, { email, plan, credits, now });
    if (json) return writeJson({ user_id: userId, secret });
    const { total } = await balanceOf(database, userId);
    process.stdout.write(`Account ${userId} (${plan}, ${total} credits)\nAPI secret, shown this once: ${secret}\n`);
  });
}

function makeLink(environment: Environment, name: string, { json }: JsonOption): Promise<void> {
  return withAccountDatabase(environment, async (database, now, publicUrl) => {
    const { userId } = await requireAccount(database, name);
    const { url, expiresAt } = await createSignInLink(database, { userId, publicUrl, now });
    if (json) return writeJson({ user_id: userId, url, expires_at: expiresAt.toISOString() });
    process.stdout.write(`${url}\n`);
    writeNote(`The link signs in once, within ${SIGN_IN_LINK_MINUTES} minutes.`);
  });
}

function addCredits(
  environment: Environment,
  name: string,
  options: GrantOptions & { command: string },
): Promise<void> {
  const { command, credits, pool, reference, json } = options;
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, email, plan } = await requireAccount(database, name);
    if (pool === "topup" && plan === "free") {
      throw new CliError("no_permission", `${email} is on the Free plan, which cannot buy top-ups.`, {
        hint: "Change its plan first: avatar accounts set-plan.",
      });
    }
    const isNew = await grantCredits(database, {
      userId,
      pool,
      amountCredits: credits,
      reason: `operator_${command}`,
      reference: `operator-${command}:${reference ?? randomUUID()}`,
      at: now,
    });
    const { total } = await balanceOf(database, userId);
    if (json) return writeJson({ user_id: userId, added: isNew ? credits : 0, pool, balance: total });
    const what = isNew
      ? `${credits} ${pool} credits added to ${email}`
      : `This ${command} was already applied. No credits were added`;
    process.stdout.write(`${what}. Balance: ${total} credits.\n`);
  });
}

function setPlan(environment: Environment, options: JsonOption & { name: string; plan: Plan }): Promise<void> {
  const { name, plan, json } = options;
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, email } = await requireAccount(database, name);
    await database.transaction().execute((transaction) => changePlan(transaction, { userId, plan, now }));
    const { total } = await balanceOf(database, userId);
    if (json) return writeJson({ user_id: userId, plan, balance: total });
    process.stdout.write(`${email} is on the ${PLAN_LIMITS[plan].title} plan. Balance: ${total} credits.\n`);
  });
}

function setStatus(
  environment: Environment,
  name: string,
  { status, json }: JsonOption & { status: AccountStatus },
): Promise<void> {
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, email } = await requireAccount(database, name);
    await setAccountStatus(database, userId, status);
    // Grants the month that began while the account was suspended.
    if (status === "active") await renewPlans(database, now);
    if (json) return writeJson({ user_id: userId, account_status: status });
    process.stdout.write(`${email} is ${status}.\n`);
  });
}

function addAccountSecret(environment: Environment, accountName: string, { alias, json }: AliasOption): Promise<void> {
  return withAccountDatabase(environment, async (database, now) => {
    const { userId } = await requireAccount(database, accountName);
    const issued = await issueSecret(database, { userId, alias: alias ?? null, now });
    const { alias: name, secret, hasResumedRuntime } = issued;
    if (json) return writeJson({ user_id: userId, alias: name, secret, runtime_resumed: hasResumedRuntime });
    process.stdout.write(`API secret "${name}", shown this once: ${secret}\n`);
    if (hasResumedRuntime) process.stdout.write("Runtime access was suspended and is now restored.\n");
  });
}

function revokeAccountSecret(
  environment: Environment,
  name: string,
  { alias, json }: JsonOption & { alias: string },
): Promise<void> {
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, email } = await requireAccount(database, name);
    if (!(await revokeSecret(database, userId, alias, now))) {
      throw new CliError("no_input", `${email} has no secret "${alias}" in use.`, {
        hint: "avatar accounts show lists them.",
      });
    }
    if (json) return writeJson({ user_id: userId, alias });
    process.stdout.write(
      `The secret "${alias}" is revoked. Sessions that it started stop at their next usage report.\n`,
    );
  });
}

function parseEmail(text: string): string {
  if (z.email().safeParse(text).success) return text;
  throw new InvalidArgumentError("It must be an e-mail address.");
}

function parseAlias(text: string): string {
  const parsed = secretAliasSchema.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(`Alias: ${parsed.error.issues[0].message}.`);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InvalidArgumentError("It must be a whole number from 1 to 1000.");
}
