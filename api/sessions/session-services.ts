// Services of avatar sessions. Built once, in `create-api.ts`.
import type { ModelFamily } from "../../shared/models.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { PortraitProcess } from "../agents/portraits/portrait-process.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { SessionPolicies } from "./session-policies.ts";

export interface SessionServices extends Kernel {
  /** Inspects pictures in a child process. */
  inspector: PortraitProcess;
  links: BillingLinks;
  /** Models that callers may name. */
  offeredModels: readonly ModelFamily[];
  policies: SessionPolicies;
}
