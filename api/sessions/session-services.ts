// What the rules and routes of avatar sessions work with; built once, where the api is wired.
import type { ModelFamily } from "../../shared/models.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { PortraitProcess } from "../agents/portraits/portrait-process.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { SessionPolicies } from "./session-policies.ts";

export interface SessionServices extends Kernel {
  /** Checks pictures while a caller waits, outside this process. */
  inspector: PortraitProcess;
  links: BillingLinks;
  /** Models that callers may ask for. */
  offeredModels: readonly ModelFamily[];
  policies: SessionPolicies;
}
