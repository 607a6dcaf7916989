// Models of agents in PostgreSQL: which are being made, which are there, which failed.
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { AgentModel } from "../agent.ts";

export type ModelRow = Selectable<Tables["agent_models"]>;

/** Columns that the rest of the api knows of a model. */
export const MODEL_COLUMNS = [
  "family",
  "state",
  "reason",
  "credits",
  "charge_reference",
  "artifact_key",
  "artifact_sha256",
  "artifact_bytes",
] as const;
export type ModelColumns = Pick<ModelRow, (typeof MODEL_COLUMNS)[number]>;

/** The rows of several agents' models. */
export function listModelRows(database: Queryable, agentIds: string[]): Promise<ModelRow[]> {
  return database.selectFrom("agent_models").selectAll().where("agent_id", "in", agentIds).orderBy("family").execute();
}

/** A row as the rest of the api knows it. */
export function toModel(row: ModelColumns): AgentModel {
  return {
    family: row.family,
    state: row.state,
    reason: row.reason,
    credits: row.credits,
    chargeReference: row.charge_reference,
    artifactKey: row.artifact_key,
    artifactSha256: row.artifact_sha256,
    artifactBytes: row.artifact_bytes,
  };
}

/** Number of an account's models of a family that are being made. */
export async function countPendingModels(database: Queryable, userId: string, family: ModelFamily): Promise<number> {
  const { count } = await database
    .selectFrom("agent_models")
    .innerJoin("agents", "agents.id", "agent_models.agent_id")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("agents.user_id", "=", userId)
    .where("agents.deleted_at", "is", null)
    .where("agent_models.family", "=", family)
    .where("agent_models.state", "=", "pending")
    .executeTakeFirstOrThrow();
  return count;
}

/** Adds a model in state `pending`, or puts a failed one back to it. */
export async function putPendingModel(
  database: Queryable,
  agentId: string,
  model: { family: ModelFamily; credits: number; chargeReference: string; requestedAt: Date },
): Promise<void> {
  const values = {
    state: "pending" as const,
    reason: null,
    credits: model.credits,
    charge_reference: model.chargeReference,
    requested_at: model.requestedAt,
    artifact_key: null,
    ready_at: null,
  };
  await database
    .insertInto("agent_models")
    .values({ agent_id: agentId, family: model.family, ...values })
    .onConflict((conflict) => conflict.columns(["agent_id", "family"]).doUpdateSet(values))
    .execute();
}

/** Marks a pending model as made, with its file. Returns false if it was not pending. */
export async function markModelReady(
  database: Queryable,
  agentId: string,
  family: ModelFamily,
  artifact: { key: string; sha256: string; sizeBytes: number },
  now: Date,
): Promise<boolean> {
  const result = await database
    .updateTable("agent_models")
    .set({
      state: "ready",
      reason: null,
      artifact_key: artifact.key,
      artifact_sha256: artifact.sha256,
      artifact_bytes: artifact.sizeBytes,
      ready_at: now,
    })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("state", "=", "pending")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks a pending model as failed. Returns false if it was not pending: then somebody else settled it, refund included. */
export async function markModelFailed(
  database: Queryable,
  agentId: string,
  family: ModelFamily,
  reason: string,
): Promise<boolean> {
  const result = await database
    .updateTable("agent_models")
    .set({ state: "failed", reason })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("state", "=", "pending")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Models that wait for a job that no longer exists: it was given up after its last try, in a process that died with it. An agent that waits
 *  for a person has no job and needs none. */
export async function findOrphanedModels(
  database: Queryable,
): Promise<{ agentId: string; revision: number; family: ModelFamily }[]> {
  const result = await sql<{ agentId: string; revision: number; family: ModelFamily }>`
    select a.id as "agentId", a.revision, m.family
    from agent_models m join agents a on a.id = m.agent_id
    where m.state = 'pending' and a.deleted_at is null and a.waiting_since is null
      and not exists (
        select from graphile_worker.jobs j
        where (j.attempts < j.max_attempts or j.locked_at is not null)
          and j.key in ('agent:' || a.id, 'agent-model:' || a.id || ':' || m.family)
      )`.execute(database);
  return result.rows;
}
