// An account as the rest of the api sees it.
import type { Plan } from "./plans/plans.ts";

export type AccountStatus = "active" | "suspended";

export interface Account {
  /** UUID; `user_id` on the wire. */
  userId: string;
  email: string;
  plan: Plan;
  status: AccountStatus;
  /** Token endpoints refuse the account. A plan change does not clear it. */
  isRuntimeSuspended: boolean;
  createdAt: Date;
}
