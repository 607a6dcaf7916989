// Which plans include films.
import { ServiceError } from "../../../shared/errors.ts";
import type { Account } from "../account.ts";
import type { BillingLinks } from "../credits/billing-links.ts";
import { PLAN_LIMITS } from "./plans.ts";

/** Throws PLAN_REQUIRED for a plan without agents. `what`: what is not included, such as talking videos. */
export function requireFilms({ plan }: Account, { upgradeUrl }: BillingLinks, what: string): void {
  const { agents, title } = PLAN_LIMITS[plan];
  if (agents > 0) return;
  throw new ServiceError("PLAN_REQUIRED", `The ${title} plan does not include ${what}`, {
    details: { upgrade_url: upgradeUrl },
  });
}
