// How agents are shared, in PostgreSQL.
import type { Transaction } from "kysely";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { Agent } from "../record/agent.ts";
import { type AgentSharing, NOT_SHARED } from "./agent-sharing.ts";
import "./sharing-tables.ts";

/** The setting of an agent. */
export async function findSharing(database: Queryable, { id }: Pick<Agent, "id">): Promise<AgentSharing> {
  const row = await database.selectFrom("agent_sharing").selectAll().where("agent_id", "=", id).executeTakeFirst();
  return row ? toSharing(row) : NOT_SHARED;
}

/** An agent that is public now, with its setting; null for any other agent, and for one that does not exist. */
export async function findPublicAgent(
  database: Queryable,
  code: string,
): Promise<{ userId: string; sharing: AgentSharing } | null> {
  const row = await publicAgents(database).where("agents.code", "=", code).executeTakeFirst();
  return row ? { userId: row.user_id, sharing: toSharing(row) } : null;
}

/** As `findPublicAgent`. The setting stays as it is until the transaction ends. */
export async function holdPublicAgent(transaction: Transaction<Tables>, code: string): Promise<AgentSharing | null> {
  const row = await publicAgents(transaction)
    .where("agents.code", "=", code)
    .forShare("agent_sharing")
    .executeTakeFirst();
  return row ? toSharing(row) : null;
}

/** Replaces the setting of an agent. */
export async function setSharing(
  database: Queryable,
  { id }: Pick<Agent, "id">,
  sharing: AgentSharing,
  now: Date,
): Promise<void> {
  const values = {
    is_public: sharing.isPublic,
    origins: [...sharing.origins],
    visitor_minutes_per_day: sharing.visitorMinutesPerDay,
    sessions_per_day: sharing.sessionsPerDay,
    updated_at: now,
  };
  await database
    .insertInto("agent_sharing")
    .values({ agent_id: id, ...values })
    .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(values))
    .execute();
}

function publicAgents(database: Queryable) {
  return database
    .selectFrom("agents")
    .innerJoin("agent_sharing", "agent_sharing.agent_id", "agents.id")
    .selectAll("agent_sharing")
    .select("agents.user_id")
    .where("agents.deleted_at", "is", null)
    .where("agent_sharing.is_public", "=", true);
}

function toSharing(row: Tables["agent_sharing"]): AgentSharing {
  return {
    isPublic: row.is_public,
    origins: row.origins,
    visitorMinutesPerDay: row.visitor_minutes_per_day,
    sessionsPerDay: row.sessions_per_day,
  };
}
