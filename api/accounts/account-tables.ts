// Tables of accounts, as migration 0001 made them.
import type { Generated } from "kysely";
import type { AccountStatus } from "./account.ts";
import type { Plan } from "./plans.ts";

/** Where credits came from; spent in this order. */
export const CREDIT_POOLS = ["plan", "reward", "topup"] as const;
export type CreditPool = (typeof CREDIT_POOLS)[number];

export interface AccountTables {
  accounts: {
    user_id: Generated<string>;
    email: string;
    plan: Plan;
    status: Generated<AccountStatus>;
    is_runtime_suspended: Generated<boolean>;
    created_at: Date;
  };
  api_secrets: {
    id: Generated<string>;
    user_id: string;
    alias: string;
    secret_sha256: Buffer;
    last_four: string;
    created_at: Date;
    revoked_at: Date | null;
  };
  credit_entries: {
    id: Generated<number>;
    user_id: string;
    pool: CreditPool;
    amount_credits: number;
    reason: string;
    reference: string;
    agent_code: string | null;
    created_at: Date;
  };
  settings: { key: string; value: string };
}
