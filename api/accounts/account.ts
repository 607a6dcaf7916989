// What the rest of the api knows of an account.
import type { Plan } from "./plans/plans.ts";

export type AccountStatus = "active" | "suspended";

export interface Account {
  /** UUID; `user_id` on the wire. */
  userId: string;
  email: string;
  plan: Plan;
  status: AccountStatus;
  /** Set when runtime access is withdrawn as a whole; a plan change does not clear it. */
  isRuntimeSuspended: boolean;
  createdAt: Date;
}
