// Storage limits of the plans: uploads per account, knowledge files per organization (its owner's plan counts).
import { ServiceError } from "../../shared/errors.ts";
import { findAccount } from "../accounts/account-store.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { PLAN_LIMITS, type Plan } from "../accounts/plans/plans.ts";
import type { Queryable } from "../kernel/database/database.ts";

const GB = 1_000_000_000;

/** Limit of an account's uploads in bytes; each organization's knowledge files have the same limit. The contract names
 *  no value. */
const STORAGE_BYTES: Readonly<Record<Plan, number>> = Object.freeze({
  free: 1 * GB,
  creator: 10 * GB,
  pro: 50 * GB,
  business: 200 * GB,
  enterprise: 1_000 * GB,
  custom: Number.POSITIVE_INFINITY,
});

/** Bytes of a plan; null without a limit. */
export function storageLimitOf(plan: Plan): number | null {
  const limitBytes = STORAGE_BYTES[plan];
  return Number.isFinite(limitBytes) ? limitBytes : null;
}

/** With `lock`, transactions that insert files of one owner are counted one after the other. */
export interface QuotaCheck {
  addedBytes: number;
  lock: boolean;
}

/** Throws PLAN_REQUIRED if an account's uploads would exceed its plan. */
export async function assertUploadQuota(
  database: Queryable,
  links: BillingLinks,
  userId: string,
  check: QuotaCheck,
): Promise<void> {
  const account = await findAccount(database, userId, { lock: check.lock });
  if (!account) throw new ServiceError("NOT_FOUND", "The account does not exist");
  const { keptBytes } = await database
    .selectFrom("uploads")
    .select((is) => is.fn.coalesce(is.fn.sum<number>("size_bytes"), is.lit(0)).as("keptBytes"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  const usage = { keptBytes: Number(keptBytes), addedBytes: check.addedBytes };
  assertWithinQuota(links, account.plan, usage, "uploads of an account");
}

/** Throws PLAN_REQUIRED if the files would exceed the plan. `files` names the counted files in the error. */
export function assertWithinQuota(
  links: BillingLinks,
  plan: Plan,
  { keptBytes, addedBytes }: { keptBytes: number; addedBytes: number },
  files: string,
): void {
  const limitBytes = STORAGE_BYTES[plan];
  if (keptBytes + addedBytes <= limitBytes) return;
  throw new ServiceError(
    "PLAN_REQUIRED",
    `The ${PLAN_LIMITS[plan].title} plan stores up to ${limitBytes / GB} GB of ${files}; ${(keptBytes / GB).toFixed(2)} GB ` +
      "are in use. Delete files, or upgrade the plan.",
    { details: { upgrade_url: links.upgradeUrl } },
  );
}
