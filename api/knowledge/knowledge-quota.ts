// Limits of an organization: bytes of source files, and number of sources that are fetched again at intervals.
import { ServiceError } from "../../shared/errors.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import { assertWithinQuota, type QuotaCheck, storageLimitOf } from "../files/storage-quota.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { findOrganization, lockOrganization } from "../organizations/organization-store.ts";

/** Sources of one organization that are fetched again; each costs a download up to once a day. */
const MAX_SYNCED_SOURCES = 500;

/** Throws PLAN_REQUIRED if an organization's source files would exceed its owner's plan, NOT_FOUND if it was
 *  deleted. */
export async function assertKnowledgeQuota(
  database: Queryable,
  links: BillingLinks,
  organizationId: string,
  { addedBytes, lock }: QuotaCheck,
): Promise<void> {
  if (lock) await lockOrganization(database, organizationId);
  const organization = await findOrganization(database, organizationId);
  if (!organization) throw new ServiceError("NOT_FOUND", "The organization does not exist");
  const usage = { keptBytes: await countBytes(database, organizationId), addedBytes };
  assertWithinQuota(links, organization.plan, usage, "source files of an organization");
}

/** Bytes of an organization's source files, and how many they may be; null without a limit. Throws NOT_FOUND if it was
 *  deleted. */
export async function knowledgeUsage(
  database: Queryable,
  organizationId: string,
): Promise<{ keptBytes: number; limitBytes: number | null }> {
  const organization = await findOrganization(database, organizationId);
  if (!organization) throw new ServiceError("NOT_FOUND", "The organization does not exist");
  return { keptBytes: await countBytes(database, organizationId), limitBytes: storageLimitOf(organization.plan) };
}

async function countBytes(database: Queryable, organizationId: string): Promise<number> {
  const { keptBytes } = await database
    .selectFrom("knowledge_files")
    .select((is) => is.fn.coalesce(is.fn.sum<number>("size_bytes"), is.lit(0)).as("keptBytes"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return Number(keptBytes);
}

/** Throws UNPROCESSABLE if an organization has reached its limit of synced sources. */
export async function assertSyncedSources(database: Queryable, organizationId: string): Promise<void> {
  const { count } = await database
    .selectFrom("knowledge_files")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("sync_freq", "!=", "never")
    .executeTakeFirstOrThrow();
  if (count < MAX_SYNCED_SOURCES) return;
  throw new ServiceError(
    "UNPROCESSABLE",
    `An organization has at most ${MAX_SYNCED_SOURCES} sources with sync_freq other than never. Delete one first.`,
  );
}
