// Agents' gestures in PostgreSQL.
import { type Selectable, sql, type Transaction } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { Dynamics } from "./dynamics.ts";
import "./dynamics-tables.ts";

/** A run as it is ordered. */
export type NewRun = Pick<
  Dynamics,
  "agentId" | "userId" | "agentCode" | "run" | "revision" | "isCharged" | "seconds" | "updatedAt"
>;

/** The row of an agent; null before its first order. With `lock`, locked until the transaction ends. */
export async function findDynamics(
  database: Queryable,
  agentId: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Dynamics | null> {
  const query = database.selectFrom("agent_dynamics").selectAll().where("agent_id", "=", agentId);
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst();
  return row ? toDynamics(row) : null;
}

/** Begins a run that waits for its job. The agent's row must be locked. */
export async function startRun(transaction: Transaction<Tables>, run: NewRun): Promise<void> {
  const values = {
    run: run.run,
    revision: run.revision,
    status: "processing" as const,
    is_charged: run.isCharged,
    seconds: run.seconds,
    progress: 0,
    error_message: null,
    updated_at: run.updatedAt,
  };
  await transaction
    .insertInto("agent_dynamics")
    .values({ agent_id: run.agentId, user_id: run.userId, agent_code: run.agentCode, ...values })
    .onConflict((conflict) => conflict.column("agent_id").doUpdateSet(values))
    .execute();
}

/** Notes that a run is being made, and how far it is. Returns false if it has ended. */
export async function noteGenerating(
  database: Queryable,
  { agentId, run }: Pick<Dynamics, "agentId" | "run">,
  progress: number,
): Promise<boolean> {
  const { numUpdatedRows } = await inProgress(database, agentId, run)
    .set({ status: "generating", progress })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a run that is in progress. */
export async function endRun(
  transaction: Transaction<Tables>,
  { agentId, run, revision, seconds }: Dynamics,
  end: { status: "ready"; actions: string[] } | { status: "failed"; errorMessage: string },
  at: Date,
): Promise<void> {
  const outcome =
    end.status === "ready"
      ? { progress: 1, made_run: run, made_revision: revision, made_seconds: seconds, actions: end.actions }
      : { error_message: end.errorMessage };
  await inProgress(transaction, agentId, run)
    .set({ status: end.status, updated_at: at, ...outcome })
    .execute();
}

/** Notes that the clips of an agent were deleted. */
export async function noteDeleted(database: Queryable, agentId: string): Promise<void> {
  await database
    .updateTable("agent_dynamics")
    .set({ made_run: null, made_revision: null, made_seconds: null, actions: [] })
    .where("agent_id", "=", agentId)
    .execute();
}

/** The row of an account's deleted agent; null if there is none. */
export async function findOfDeletedAgent(
  database: Queryable,
  userId: string,
  agentCode: string,
): Promise<Dynamics | null> {
  const row = await database
    .selectFrom("agent_dynamics")
    .innerJoin("agents", "agents.id", "agent_dynamics.agent_id")
    .selectAll("agent_dynamics")
    .where("agents.user_id", "=", userId)
    .where("agents.code", "=", agentCode)
    .where("agents.deleted_at", "is not", null)
    .executeTakeFirst();
  return row ? toDynamics(row) : null;
}

/** Runs in progress although their job is gone: it was interrupted too often. */
export async function listOrphanedRuns(database: Queryable): Promise<Pick<Dynamics, "agentId" | "run">[]> {
  const { rows } = await sql<{ agentId: string; run: number }>`
    select d.agent_id as "agentId", d.run from agent_dynamics d
    where d.status in ('processing', 'generating') and not exists (
      select from graphile_worker.jobs j
      where j.key = 'dynamics:' || d.agent_id and (j.attempts < j.max_attempts or j.locked_at is not null)
    )`.execute(database);
  return rows;
}

function inProgress(database: Queryable, agentId: string, run: number) {
  return database
    .updateTable("agent_dynamics")
    .where("agent_id", "=", agentId)
    .where("run", "=", run)
    .where("status", "in", ["processing", "generating"]);
}

function toDynamics(row: Selectable<Tables["agent_dynamics"]>): Dynamics {
  return {
    agentId: row.agent_id,
    userId: row.user_id,
    agentCode: row.agent_code,
    run: row.run,
    revision: row.revision,
    status: row.status,
    isCharged: row.is_charged,
    seconds: row.seconds,
    progress: row.progress,
    errorMessage: row.error_message,
    madeRun: row.made_run,
    madeRevision: row.made_revision,
    madeSeconds: row.made_seconds,
    actions: row.actions,
    updatedAt: row.updated_at,
  };
}
