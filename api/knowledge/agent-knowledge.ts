// The knowledge bases that an agent uses.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { MAX_BASES_PER_AGENT } from "./knowledge-base.ts";
import {
  findKnowledgeBase,
  type KnowledgeBase,
  listAgentKnowledge,
  listSearchable,
  replaceAgentKnowledge,
} from "./knowledge-store.ts";

/** The organization with the knowledge bases that a caller may use. */
export interface KnowledgeOwner {
  organizationId: string;
}

/** The organization of a secret. Throws FORBIDDEN for a personal secret. */
export function requireOrganization(caller: { organizationId: string | null }): KnowledgeOwner {
  if (caller.organizationId !== null) return { organizationId: caller.organizationId };
  throw new ServiceError(
    "FORBIDDEN",
    "Knowledge bases belong to organizations. Use an API secret of an organization, not a personal one.",
  );
}

/** A base of the caller's organization; `lock` keeps it from changing until the transaction ends. Throws NOT_FOUND,
 *  and FORBIDDEN for another organization's. */
export async function requireKnowledgeBase(
  database: Queryable,
  { organizationId }: KnowledgeOwner,
  id: string,
  options: { lock?: boolean } = {},
): Promise<KnowledgeBase> {
  const base = z.uuid().safeParse(id).success ? await findKnowledgeBase(database, id, options) : null;
  if (!base) throw new ServiceError("NOT_FOUND", `No knowledge base ${id.slice(0, 100)}`);
  if (base.organization_id !== organizationId) {
    throw new ServiceError("FORBIDDEN", `Knowledge base ${base.id} belongs to another organization`);
  }
  return base;
}

/** Sets the bases that an agent uses; an empty list removes all. Throws as `requireOrganization` and
 *  `requireKnowledgeBase`. */
export async function setAgentKnowledge(
  database: Queryable,
  caller: { organizationId: string | null },
  agentId: string,
  knowledgeBaseIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(knowledgeBaseIds)];
  if (ids.length > MAX_BASES_PER_AGENT) {
    throw new ServiceError("VALIDATION_ERROR", `kb_ids may name at most ${MAX_BASES_PER_AGENT} knowledge bases`);
  }
  if (ids.length > 0) {
    const owner = requireOrganization(caller);
    for (const id of ids) await requireKnowledgeBase(database, owner, id);
  }
  await replaceAgentKnowledge(database, agentId, ids);
}

/** Whether at least one of an agent's bases was built, so that a search may find something. */
export async function hasSearchableKnowledge(
  database: Queryable,
  agent: { id: string; userId: string },
): Promise<boolean> {
  return (await listSearchable(database, await listAgentKnowledge(database, agent))).length > 0;
}
