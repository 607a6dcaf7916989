// Queues the jobs that make agents and their models. Their keys allow at most one job for an agent, and one for each
// model.
import { sql, type Transaction } from "kysely";
import { z } from "zod";
import { FAMILIES, type ModelFamily } from "../../../shared/models.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { Agent } from "../record/agent.ts";

/** Names of the jobs in the database, where earlier versions left them too. */
export const CREATE_AGENT = "make-agent";
/** Fetches the image and the voice sample of an agent, then queues its creation again. */
export const FETCH_INPUTS = "fetch-agent-inputs";
export const ADD_AGENT_MODEL = "add-agent-model";
/** Bakes the file of a sample avatar. */
export const BAKE_SAMPLE = "bake-sample";
/** Jobs that callers wait for. */
const AWAITED_JOBS = [CREATE_AGENT, ADD_AGENT_MODEL, BAKE_SAMPLE];

/** Attempts before an agent fails. The waits of 3, 7, 20 and 55 s give an image server 85 s to recover. */
const MAX_ATTEMPTS = 5;
/** Waits of 3 and 7 s, for a server of the caller's that may be able to answer later. */
const MAX_FETCH_ATTEMPTS = 3;

export const creationPayloadSchema = z.object({ agentId: z.string(), revision: z.number() });
export const addModelPayloadSchema = creationPayloadSchema.extend({ family: z.enum(FAMILIES) });

/** Queues the creation of an agent, in the transaction that wrote it. */
export function enqueueCreation(transaction: Transaction<Tables>, agent: Agent): Promise<void> {
  return enqueue(transaction, CREATE_AGENT, agent, MAX_ATTEMPTS);
}

/** Queues the download of an agent's inputs, in place of its creation. */
export function enqueueFetchInputs(database: Queryable, agent: Agent): Promise<void> {
  return enqueue(database, FETCH_INPUTS, agent, MAX_FETCH_ATTEMPTS);
}

function enqueue(database: Queryable, name: string, { id, revision, userId }: Agent, maxAttempts: number) {
  return addJob(database, name, { agentId: id, revision }, { key: `agent:${id}`, maxAttempts, owner: userId });
}

/** Queues the baking of one more model. */
export function enqueueAddModel(transaction: Transaction<Tables>, agent: Agent, family: ModelFamily): Promise<void> {
  const payload = { agentId: agent.id, revision: agent.revision, family };
  const key = `agent-model:${agent.id}:${family}`;
  return addJob(transaction, ADD_AGENT_MODEL, payload, { key, maxAttempts: MAX_ATTEMPTS, owner: agent.userId });
}

/** Whether a job that a caller waits for runs, or is due to run, in any process. */
export async function hasAwaitedJobs(database: Queryable): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (
      select from graphile_worker.jobs
      where task_identifier = any(${AWAITED_JOBS})
        and (locked_at is not null or (run_at <= now() and attempts < max_attempts))
    )`.execute(database);
  return rows[0].exists;
}
