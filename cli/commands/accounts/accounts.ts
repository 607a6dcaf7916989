// `avatar accounts …`: the operator opens, shows, credits, changes and suspends accounts in the service's database.
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { CREDIT_POOLS, type CreditPool } from "../../../api/accounts/account-tables.ts";
import { PLANS, type Plan } from "../../../api/accounts/plans/plans.ts";
import { SIGN_IN_LINK_MINUTES } from "../../../api/accounts/sign-in/sign-in-links.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { AliasOption, CreateOptions, GrantOptions, JsonOption } from "./account-actions.ts";
import { parseCredits } from "./parse-credits.ts";

/** The work, with the database and all that the accounts are made of, which naming the commands does without. */
const loadActions = () => import("./account-actions.ts");
const loadViews = () => import("./account-views.ts");
const ACCOUNT_ARGUMENT = ["<account>", "e-mail address or user id"] as const;

export function registerAccounts(program: Command, environment: Environment): void {
  const account = program.command("accounts").description("Accounts of this installation");
  account
    .command("create")
    .description("Create an account and show its API secret once")
    .requiredOption("--email <address>", "e-mail address; one account each")
    .addOption(new Option("--plan <plan>", "plan of the account").choices(PLANS).default("creator"))
    .option("--credits <n>", "credits to start with, once; default: the plan's, renewed every month", (text) =>
      parseCredits(text, 0),
    )
    .option("--json", "one object on standard output: user_id, secret")
    .action(async (options: CreateOptions) => (await loadActions()).createAccount(environment, options));
  account
    .command("list")
    .description("List accounts, newest first, with their balances")
    .option("--limit <n>", "most accounts to list", parseLimit, 50)
    .option("--json", "print one object")
    .action(async (options: { limit: number; json?: boolean }) =>
      (await loadViews()).listAccounts(environment, options),
    );
  account
    .command("show")
    .description("Show an account: plan, credits by pool, secrets in use")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "print one object")
    .action(async (name: string, options: JsonOption) => (await loadViews()).showAccount(environment, name, options));
  account
    .command("link")
    .description(`Make a link that signs a person in to the console, once, within ${SIGN_IN_LINK_MINUTES} minutes`)
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, url, expires_at")
    .action(async (name: string, options: JsonOption) => (await loadActions()).makeLink(environment, name, options));
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
    .action(async (name: string, plan: Plan, options: JsonOption) =>
      (await loadActions()).setPlan(environment, { name, plan, ...options }),
    );
  account
    .command("suspend")
    .description("Suspend an account: it cannot spend credits, and its avatar sessions end")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, account_status")
    .action(async (name: string, options: JsonOption) =>
      (await loadActions()).setStatus(environment, name, { status: "suspended", ...options }),
    );
  account
    .command("resume")
    .description("Reactivate a suspended account")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--json", "one object on standard output: user_id, account_status")
    .action(async (name: string, options: JsonOption) =>
      (await loadActions()).setStatus(environment, name, { status: "active", ...options }),
    );
  account
    .command("add-secret")
    .description("Issue an API secret and show it once")
    .argument(...ACCOUNT_ARGUMENT)
    .option("--alias <name>", "its name, 1 to 32 characters; default: a random one")
    .option("--json", "one object on standard output: user_id, alias, secret")
    .action(async (name: string, options: AliasOption) =>
      (await loadActions()).addAccountSecret(environment, name, options),
    );
  account
    .command("revoke-secret")
    .description("Revoke an API secret immediately and permanently")
    .argument(...ACCOUNT_ARGUMENT)
    .requiredOption("--alias <name>", "its name, as `show` lists it")
    .option("--json", "one object on standard output: user_id, alias")
    .action(async (name: string, options: JsonOption & { alias: string }) =>
      (await loadActions()).revokeAccountSecret(environment, name, options),
    );
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
    .action(async (name: string, options: GrantOptions) =>
      (await loadActions()).addCredits(environment, name, { ...options, command: command.name }),
    );
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new InvalidArgumentError("It must be a whole number from 1 to 1000.");
}
