// `avatar account`: who is signed in, with plan, balance and the newest charges.
import type { Command } from "commander";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { parseCount } from "../parse-count.ts";

interface AccountOptions {
  limit: string;
  json?: boolean;
}

const MOST_CHARGES = 200;
/** Commands that had this name, and are the operator's. */
const OPERATORS = ["create", "list", "show", "link", "topup", "grant", "set-plan", "suspend", "resume"];
const OPERATORS_SECRETS = ["add-secret", "revoke-secret"];

export function registerAccount(program: Command, environment: Environment): void {
  program
    .command("account")
    .alias("whoami")
    .description("Show who is signed in: plan, credits and the newest charges")
    .option("--limit <n>", `most charges to show, 1 to ${MOST_CHARGES}`, "5")
    .option("--json", "print one object: logged_in, source, email, plan, credit_balance, usage and more")
    // So that the former commands of this name get a better answer. Without a description it is not shown.
    .argument("[words...]")
    .usage("[options]")
    .allowUnknownOption()
    .action(async (words: string[], { limit, json }: AccountOptions) => {
      refuseOthers(words);
      const { showOwnAccount } = await import("./show-own-account.ts");
      await showOwnAccount(environment, { limit: parseCount(limit, "--limit", MOST_CHARGES), json });
    });
}

function refuseOthers([word]: readonly string[]): void {
  if (word === undefined) return;
  if ([...OPERATORS, ...OPERATORS_SECRETS].includes(word)) {
    throw new CliError("usage", `avatar account ${word} is now avatar accounts ${word}.`, {
      hint: "avatar accounts is for the operator of a service; avatar account is your own.",
    });
  }
  const what = word.startsWith("-") ? "Unknown option" : "Unknown word";
  throw new CliError("usage", `${what} '${word}'.`, { hint: "avatar account --help shows how it is used." });
}
