// The work of `avatar accounts …`, in the service's database.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { AccountStatus } from "../../../api/accounts/account.ts";
import { setAccountStatus } from "../../../api/accounts/account-store.ts";
import type { CreditPool } from "../../../api/accounts/account-tables.ts";
import { balanceOf, grantCredits } from "../../../api/accounts/credits/ledger.ts";
import { openAccount } from "../../../api/accounts/open-account.ts";
import { changePlan, renewPlans } from "../../../api/accounts/plans/plan-months.ts";
import { PLAN_LIMITS, type Plan } from "../../../api/accounts/plans/plans.ts";
import { issueSecret, secretAliasSchema } from "../../../api/accounts/secrets/issue-secret.ts";
import { revokeSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { createSignInLink, SIGN_IN_LINK_MINUTES } from "../../../api/accounts/sign-in/sign-in-links.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { requireAccount, withAccountDatabase } from "./account-database.ts";

export interface JsonOption {
  json?: boolean;
}

export interface AliasOption extends JsonOption {
  alias?: string;
}

export interface CreateOptions extends JsonOption {
  email: string;
  plan: Plan;
  credits?: number;
}

export interface GrantOptions extends JsonOption {
  credits: number;
  pool: CreditPool;
  reference?: string;
}

export async function createAccount(environment: Environment, options: CreateOptions): Promise<void> {
  const { email, plan, credits, json } = options;
  requireEmail(email);
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, secret } = await openAccount(database, { email, plan, credits, now });
    if (json) return writeJson({ user_id: userId, secret });
    const { total } = await balanceOf(database, userId);
    process.stdout.write(`Account ${userId} (${plan}, ${total} credits)\nAPI secret, shown this once: ${secret}\n`);
  });
}

export function makeLink(environment: Environment, name: string, { json }: JsonOption): Promise<void> {
  return withAccountDatabase(environment, async (database, now, publicUrl) => {
    const { userId } = await requireAccount(database, name);
    const { url, expiresAt } = await createSignInLink(database, { userId, publicUrl, now });
    if (json) return writeJson({ user_id: userId, url, expires_at: expiresAt.toISOString() });
    process.stdout.write(`${url}\n`);
    writeNote(`The link signs in once, within ${SIGN_IN_LINK_MINUTES} minutes.`);
  });
}

export function addCredits(
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

export function setPlan(environment: Environment, options: JsonOption & { name: string; plan: Plan }): Promise<void> {
  const { name, plan, json } = options;
  return withAccountDatabase(environment, async (database, now) => {
    const { userId, email } = await requireAccount(database, name);
    await database.transaction().execute((transaction) => changePlan(transaction, { userId, plan, now }));
    const { total } = await balanceOf(database, userId);
    if (json) return writeJson({ user_id: userId, plan, balance: total });
    process.stdout.write(`${email} is on the ${PLAN_LIMITS[plan].title} plan. Balance: ${total} credits.\n`);
  });
}

export function setStatus(
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

export async function addAccountSecret(
  environment: Environment,
  accountName: string,
  { alias, json }: AliasOption,
): Promise<void> {
  if (alias !== undefined) requireAlias(alias);
  return withAccountDatabase(environment, async (database, now) => {
    const { userId } = await requireAccount(database, accountName);
    const issued = await issueSecret(database, { userId, alias: alias ?? null, now });
    const { alias: name, secret, hasResumedRuntime } = issued;
    if (json) return writeJson({ user_id: userId, alias: name, secret, runtime_resumed: hasResumedRuntime });
    process.stdout.write(`API secret "${name}", shown this once: ${secret}\n`);
    if (hasResumedRuntime) process.stdout.write("Runtime access was suspended and is now restored.\n");
  });
}

export function revokeAccountSecret(
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

/** Throws CliError `usage` for anything else. */
function requireEmail(text: string): void {
  if (z.email().safeParse(text).success) return;
  throw new CliError("usage", `--email ${text}: it must be an e-mail address.`);
}

/** Throws CliError `usage` for anything else. */
function requireAlias(text: string): void {
  const parsed = secretAliasSchema.safeParse(text);
  if (!parsed.success) throw new CliError("usage", `--alias ${text}: ${parsed.error.issues[0].message}.`);
}
