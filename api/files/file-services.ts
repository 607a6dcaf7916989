// What uploads and file links work with; built once, where the api is wired.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Kernel } from "../kernel/kernel.ts";

export interface FileServices extends Kernel {
  /** Where callers pay for a larger plan. */
  links: BillingLinks;
}
