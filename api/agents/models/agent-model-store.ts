// Models of agents in PostgreSQL, with their states.
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type { StoredObject } from "../../kernel/storage/object-storage.ts";
import type { Agent, AgentModel, ModelState } from "../record/agent.ts";

export type ModelRow = Selectable<Tables["agent_models"]>;

/** The file of a model. */
export interface ModelArtifact extends StoredObject {
  /** Version of the rig generator that made it, such as 1.4.0. */
  generatorVersion: string;
}

/** Columns that the rest of the api uses. */
export const MODEL_COLUMNS = [
  "family",
  "is_draft",
  "state",
  "reason",
  "credits",
  "charge_reference",
  "artifact_key",
  "artifact_sha256",
  "artifact_bytes",
  "replaced_key",
] as const;
export type ModelColumns = Pick<ModelRow, (typeof MODEL_COLUMNS)[number]>;

/** The rows of several agents' models. */
export function listModelRows(database: Queryable, agentIds: string[]): Promise<ModelRow[]> {
  return database.selectFrom("agent_models").selectAll().where("agent_id", "in", agentIds).orderBy("family").execute();
}

/** Converts a row to the type that the rest of the api uses. */
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
    replacedKey: row.replaced_key,
  };
}

/** Number of an account's pending models of a family, not counting those of one agent. */
export async function countPendingModels(
  database: Queryable,
  account: { userId: string; exceptAgentId: string | null },
  family: ModelFamily,
): Promise<number> {
  let query = database
    .selectFrom("agent_models")
    .innerJoin("agents", "agents.id", "agent_models.agent_id")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("agents.user_id", "=", account.userId)
    .where("agents.deleted_at", "is", null)
    .where("agent_models.family", "=", family)
    .where("agent_models.state", "=", "pending");
  if (account.exceptAgentId !== null) query = query.where("agents.id", "<>", account.exceptAgentId);
  const { count } = await query.executeTakeFirstOrThrow();
  return count;
}

/** Adds a model in state `pending`, or puts a failed one back to it. */
export async function putPendingModel(
  database: Queryable,
  agentId: string,
  model: { family: ModelFamily; isDraft: boolean; credits: number; chargeReference: string; requestedAt: Date },
): Promise<void> {
  const values = {
    state: "pending" as const,
    reason: null,
    credits: model.credits,
    charge_reference: model.chargeReference,
    requested_at: model.requestedAt,
    artifact_key: null,
    generator_version: null,
    ready_at: null,
  };
  await database
    .insertInto("agent_models")
    .values({ agent_id: agentId, family: model.family, is_draft: model.isDraft, ...values })
    .onConflict((conflict) => conflict.columns(["agent_id", "family", "is_draft"]).doUpdateSet(values))
    .execute();
}

/** Identifies a row. */
export interface ModelKey {
  agentId: string;
  family: ModelFamily;
  isDraft: boolean;
}

/** Marks a pending model as made, with its file. Returns false if it was not pending. */
export async function markModelReady(
  database: Queryable,
  { agentId, family, isDraft }: ModelKey,
  artifact: ModelArtifact,
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
      generator_version: artifact.generatorVersion,
      ready_at: now,
    })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("is_draft", "=", isDraft)
    .where("state", "=", "pending")
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Marks a model as failed if it is in one of the given states. Returns false if it is not; it has been settled and
 *  refunded then. */
export async function markModelFailed(
  database: Queryable,
  { agentId, family, isDraft }: ModelKey,
  reason: string,
  states: readonly ModelState[],
): Promise<boolean> {
  const result = await database
    .updateTable("agent_models")
    .set({ state: "failed", reason })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("is_draft", "=", isDraft)
    .where("state", "in", states)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Replaces the agent's models by those of its draft. */
export async function promoteDraftModels(database: Queryable, agentId: string): Promise<void> {
  await database.deleteFrom("agent_models").where("agent_id", "=", agentId).where("is_draft", "=", false).execute();
  await database.updateTable("agent_models").set({ is_draft: false }).where("agent_id", "=", agentId).execute();
}

/** Removes the models of an agent's draft and notes why they were not made. */
export async function dropDraftModels(database: Queryable, agent: Agent, reason: string, at: Date): Promise<void> {
  await database.deleteFrom("agent_models").where("agent_id", "=", agent.id).where("is_draft", "=", true).execute();
  for (const { family } of agent.draftModels) await noteFailedModel(database, { agent, family, reason, at });
}

/** Notes why a model of a working agent was not made: at the model if the agent has it, which stays ready; else as a
 *  failed model, which nothing was charged for. */
export async function noteFailedModel(
  database: Queryable,
  { agent, family, reason, at }: { agent: Pick<Agent, "id">; family: ModelFamily; reason: string; at: Date },
): Promise<void> {
  await database
    .insertInto("agent_models")
    .values({
      agent_id: agent.id,
      family,
      is_draft: false,
      state: "failed",
      reason,
      credits: 0,
      charge_reference: freeChargeReference(agent.id, family),
      requested_at: at,
    })
    .onConflict((conflict) => conflict.columns(["agent_id", "family", "is_draft"]).doUpdateSet({ reason }))
    .execute();
}

/** For a model that is not charged for: no charge has this reference, so a failure refunds nothing. */
export function freeChargeReference(agentId: string, family: ModelFamily): string {
  return `free:${agentId}:${family}`;
}

/** Forgets why ready models could not be made again; the agent is being made again now. */
export async function clearReasons(database: Queryable, agentId: string): Promise<void> {
  const models = database.updateTable("agent_models").set({ reason: null }).where("agent_id", "=", agentId);
  await models.where("state", "=", "ready").execute();
}

/** Removes a model of an agent. */
export async function deleteModel(database: Queryable, { agentId, family, isDraft }: ModelKey): Promise<void> {
  const models = database.deleteFrom("agent_models").where("agent_id", "=", agentId).where("family", "=", family);
  await models.where("is_draft", "=", isDraft).execute();
}

/** Pending models without a job, because their process died at the last attempt. Agents that wait for face marks are
 *  not included: they need no job. */
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
