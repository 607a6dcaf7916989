// Dependencies of the routes and rules of accounts. Built once, where the api is wired.
import type { ModelFamily } from "../../shared/models.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { BillingLinks } from "./credits/billing-links.ts";

export interface AccountServices extends Kernel {
  links: BillingLinks;
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Whether a relay takes realtime calls. */
  isRelayed: () => Promise<boolean>;
}
