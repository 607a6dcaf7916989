// Services of the rules and jobs of agents' gestures. Built once, in `dynamics-module.ts`.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** How a run ended. */
export const DYNAMICS_RESULTS = ["ready", "failed"] as const;

export interface DynamicsServices
  extends Pick<Kernel, "config" | "database" | "events" | "storage" | "fileLinks" | "outgoing" | "logger" | "now"> {
  billingLinks: BillingLinks;
  /** Scheduling priority of the processes that make clips, 0 (as the api) to 19 (what all others leave over). */
  filmNiceness: number;
  /** Counts a run on `/metrics`. */
  countRun(result: (typeof DYNAMICS_RESULTS)[number]): void;
}
