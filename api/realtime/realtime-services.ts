// Services of realtime calls. Built once, in `create-api.ts`.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Authenticator } from "../kernel/http/create-app.ts";
import type { Kernel } from "../kernel/kernel.ts";

export interface RealtimePolicies {
  /** Time without a report after which a call is settled at what was last reported, in ms. */
  silentMs: number;
  /** Interval of the check for these calls, in ms. */
  sweepMs: number;
}

export const REALTIME_POLICIES: RealtimePolicies = Object.freeze({ silentMs: 30_000, sweepMs: 5_000 });

export interface RealtimeServices extends Kernel {
  links: BillingLinks;
  authenticator: Authenticator;
  policies: RealtimePolicies;
}
