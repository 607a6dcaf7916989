// Tables of accounts, as created by migrations 0001, 0002, 0007, 0008, 0018, 0062, 0065 and 0066.
import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { AccountStatus } from "./account.ts";
import type { Plan } from "./plans/plans.ts";

/** Pools of an account's credits, by origin. Spent in this order. */
export const CREDIT_POOLS = ["plan", "reward", "topup"] as const;
export type CreditPool = (typeof CREDIT_POOLS)[number];

/** The service's side of the ledger. `issued`: credits granted with a plan or as a reward; `sold`: top-ups; `income`:
 *  credits spent; `refunds`: credits returned; `lapsed`: plan credits left at the end of their month. */
const HOUSE_ACCOUNTS = ["issued", "sold", "income", "refunds", "lapsed"] as const;
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number];

/** One of the two ends of a movement. */
export type LedgerAccount = CreditPool | HouseAccount;

declare module "../kernel/database/database.ts" {
  interface Tables {
    accounts: {
      user_id: Generated<string>;
      email: string;
      plan: Plan;
      status: Generated<AccountStatus>;
      is_runtime_suspended: Generated<boolean>;
      created_at: Date;
      /** When the plan's months began; null where its credits do not renew. */
      plan_anchor_at: Date | null;
      plan_renews_at: Date | null;
    };
    api_secrets: {
      id: Generated<string>;
      user_id: string;
      alias: string;
      secret_sha256: Buffer;
      last_four: string;
      created_at: Date;
      revoked_at: Date | null;
      /** Null for a personal secret. */
      organization_id: string | null;
      /** Noted once a minute at most; null if no use was noted. */
      last_used_at: Generated<Date | null>;
      /** Made for a session of the console: no one knows its value. */
      is_console: Generated<boolean>;
      /** Since when no session of the console holds it, as a sweep has noted; null while one does. */
      unheld_since: Generated<Date | null>;
    };
    credit_movements: {
      id: Generated<number>;
      user_id: string;
      /** One of the two is a pool of the customer, the other is the service's. */
      from_account: LedgerAccount;
      to_account: LedgerAccount;
      /** Above zero. */
      amount_credits: number;
      reason: string;
      reference: string;
      agent_code: string | null;
      created_at: Date;
      /** The API secret that ordered it; null if that is not known. Those of sessions are with their sessions. */
      secret_id: ColumnType<string | null, string | null | undefined, never>;
      /** Served time that it paid for, in tenths of a second; null where a record of its own keeps it. */
      deciseconds: ColumnType<number | null, number | null | undefined, never>;
    };
    /** One row per account, written by triggers only: the sums of its movements and of its accruals. */
    credit_balances: {
      user_id: GeneratedAlways<string>;
      plan_credits: GeneratedAlways<number>;
      reward_credits: GeneratedAlways<number>;
      topup_credits: GeneratedAlways<number>;
      accrued_credits: GeneratedAlways<number>;
      /** Remaining credits of top-ups bought before 2026-09-27; negative once later top-ups are spent. */
      early_topup_credits: GeneratedAlways<number>;
    };
    /** Cost of running work that has not been charged yet. */
    credit_accruals: {
      user_id: string;
      /** Reference of the future charge. */
      reference: string;
      /** Above zero. */
      credits: number;
    };
    /** What is left of a credit after a charge for time, by pricing code. */
    meter_carries: { user_id: string; pricing_code: string; carry_units: number };
    /** A view: each movement as the two rows it adds to the books, which sum to zero. */
    credit_postings: {
      movement_id: number;
      user_id: string;
      ledger_account: LedgerAccount;
      amount_credits: number;
      created_at: Date;
    };
  }
}
