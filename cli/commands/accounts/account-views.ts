// `avatar accounts list` and `show`.
import type { Account } from "../../../api/accounts/account.ts";
import { listNewestAccounts } from "../../../api/accounts/account-store.ts";
import { balanceOf, standingOf } from "../../../api/accounts/credits/ledger.ts";
import { findRenewal } from "../../../api/accounts/plans/plan-months.ts";
import { PLAN_LIMITS } from "../../../api/accounts/plans/plans.ts";
import { listSecrets } from "../../../api/accounts/secrets/secret-store.ts";
import type { Database } from "../../../api/kernel/database/database.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { requireAccount, withAccountDatabase } from "./account-database.ts";

/** Prints the newest accounts, one per line. */
export function listAccounts(
  environment: Environment,
  { limit, json }: { limit: number; json?: boolean },
): Promise<void> {
  return withAccountDatabase(environment, async (database) => {
    const accounts = [];
    for (const account of await listNewestAccounts(database, limit)) accounts.push(await summarize(database, account));
    if (json) return writeJson({ accounts });
    for (const { user_id, email, plan, account_status, balance } of accounts) {
      process.stdout.write(`${user_id}  ${email}  ${plan}  ${account_status}  ${balance} credits\n`);
    }
  });
}

/** Prints one account with its credit pools and the aliases of its secrets. */
export function showAccount(environment: Environment, name: string, { json }: { json?: boolean }): Promise<void> {
  return withAccountDatabase(environment, async (database) => {
    const account = await requireAccount(database, name);
    const summary = await summarize(database, account);
    const secrets = await listSecrets(database, account.userId);
    if (json) {
      const shown = secrets.map(({ alias, lastFour, createdAt }) => ({
        alias,
        last_four: lastFour,
        created_at: createdAt.toISOString(),
      }));
      return writeJson({ ...summary, secrets: shown });
    }
    const { plan_credits, reward_credits, topup_credits, plan_renews_at } = summary;
    const lines = [
      `${summary.email} (${summary.user_id})`,
      `Plan     ${PLAN_LIMITS[account.plan].title}, ${summary.account_status}${plan_renews_at === null ? "" : `, renews on ${plan_renews_at}`}`,
      `Credits  ${summary.balance}: plan ${plan_credits}, reward ${reward_credits}, top-up ${topup_credits}`,
      `Runtime  ${account.isRuntimeSuspended ? "suspended; a new secret restores it" : "open"}`,
      ...secrets.map(({ alias, lastFour }) => `Secret   ${alias} (ends in ${lastFour})`),
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
  });
}

async function summarize(database: Database, account: Account) {
  const { total, pools } = await balanceOf(database, account.userId);
  const renewsAt = await findRenewal(database, account.userId);
  return {
    user_id: account.userId,
    email: account.email,
    plan: account.plan,
    plan_renews_at: renewsAt?.toISOString() ?? null,
    account_status: standingOf(account, total),
    balance: total,
    plan_credits: pools.plan,
    reward_credits: pools.reward,
    topup_credits: pools.topup,
    is_runtime_suspended: account.isRuntimeSuspended,
    created_at: account.createdAt.toISOString(),
  };
}
