// Services of uploads and file links. Built once, in `create-api.ts`.
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Kernel } from "../kernel/kernel.ts";

export interface FileServices extends Kernel {
  /** Links to larger plans. */
  links: BillingLinks;
}
