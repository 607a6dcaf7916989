// Opens an account for an operator: with a first secret and with credits, in one transaction.

import { ServiceError } from "../../shared/errors.ts";
import type { Database } from "../kernel/database/database.ts";
import { createAccount } from "./account-store.ts";
import { grantCredits } from "./credits/ledger.ts";
import { beginPlanMonths } from "./plans/plan-months.ts";
import type { Plan } from "./plans/plans.ts";
import { addSecret } from "./secrets/secret-store.ts";

export interface OpenAccountOptions {
  email: string;
  plan: Plan;
  /** Initial plan credits, a whole number, zero or more; they are not renewed. Default: the plan's credits, renewed
   *  monthly. */
  credits?: number;
  now: Date;
}

export interface OpenedAccount {
  userId: string;
  /** Returned by this call only; the database holds a hash. */
  secret: string;
}

/** Opens an account. Throws CONFLICT if the e-mail address has one already. */
export function openAccount(database: Database, options: OpenAccountOptions): Promise<OpenedAccount> {
  const { email, plan, credits, now } = options;
  return database.transaction().execute(async (transaction) => {
    const account = await createAccount(transaction, { email, plan, createdAt: now });
    if (!account) throw new ServiceError("CONFLICT", `An account for ${email} already exists`);
    const { userId } = account;
    if (credits === undefined) await beginPlanMonths(transaction, { userId, plan, now });
    else if (credits > 0) {
      const grant = { userId, pool: "plan" as const, amountCredits: credits, at: now };
      await grantCredits(transaction, { ...grant, reason: "account_opened", reference: "account-opened" });
    }
    return { userId, secret: await addSecret(transaction, { userId, alias: "default", createdAt: now }) };
  });
}
