// Removes access to knowledge when a member leaves an organization, and the knowledge when an organization is deleted.
import type { Queryable } from "../kernel/database/database.ts";
import type { Events } from "../kernel/events/events.ts";
import type { KnowledgeServices } from "./knowledge-services.ts";

/** Organizations that lose their knowledge in one round. */
const ERASED_PER_ROUND = 10;

/** Agents of a former member lose the organization's knowledge bases at once; so do all agents when the organization
 *  is deleted. Its sources are not fetched again. */
export function listenToOrganizations(events: Events): void {
  events.on("organization.member_removed", async (transaction, { organizationId, userId }) => {
    await unlinkAgents(transaction, organizationId, userId);
  });
  events.on("organization.deleted", async (transaction, { organizationId }) => {
    await unlinkAgents(transaction, organizationId);
    const files = transaction.updateTable("knowledge_files").set({ next_sync_at: null });
    await files.where("organization_id", "=", organizationId).execute();
  });
}

/** Erases files, passages and artifacts of deleted organizations. Safe to run in several processes at once. */
export async function eraseDeletedOrganizations({
  database,
  storage,
}: Pick<KnowledgeServices, "database" | "storage">): Promise<void> {
  const organizations = await database
    .selectFrom("organizations as o")
    .select("o.id")
    .where("o.deleted_at", "is not", null)
    .where((is) =>
      is.or([
        is.exists(is.selectFrom("knowledge_files as f").select("f.id").whereRef("f.organization_id", "=", "o.id")),
        is.exists(is.selectFrom("knowledge_bases as k").select("k.id").whereRef("k.organization_id", "=", "o.id")),
      ]),
    )
    .limit(ERASED_PER_ROUND)
    .execute();
  for (const { id } of organizations) {
    const files = await database
      .selectFrom("knowledge_files")
      .select("object_key")
      .where("organization_id", "=", id)
      .execute();
    const bases = await database
      .selectFrom("knowledge_bases")
      .select("artifact_key")
      .where("organization_id", "=", id)
      .execute();
    // Objects go before their rows: after a crash in between, the next round finishes the work.
    for (const { object_key } of files) await storage.delete(object_key);
    for (const { artifact_key } of bases) if (artifact_key !== null) await storage.delete(artifact_key);
    await database.deleteFrom("knowledge_bases").where("organization_id", "=", id).execute();
    await database.deleteFrom("knowledge_files").where("organization_id", "=", id).execute();
  }
}

/** Detaches an organization's knowledge bases from the agents of one account, or from all agents. */
async function unlinkAgents(database: Queryable, organizationId: string, userId?: string): Promise<void> {
  let query = database
    .deleteFrom("agent_knowledge_bases")
    .where("kb_id", "in", (is) =>
      is.selectFrom("knowledge_bases").select("id").where("organization_id", "=", organizationId),
    );
  if (userId !== undefined) {
    query = query.where("agent_id", "in", (is) => is.selectFrom("agents").select("id").where("user_id", "=", userId));
  }
  await query.execute();
}
