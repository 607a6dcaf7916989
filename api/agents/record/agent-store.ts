// Agents in PostgreSQL. Every function takes the database or a transaction.

import { type ExpressionBuilder, type InferResult, sql, type Transaction } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { CREATION_PROGRESS } from "../../../shared/creation-progress.ts";
import { isOutsideTransaction, type Queryable, type Tables } from "../../kernel/database/database.ts";
import { createSharedStatement } from "../../kernel/database/shared-statement.ts";
import type { SelectionChange } from "../../providers/provider-selection.ts";
import {
  clearReasons,
  dropDraftModels,
  listModelRows,
  MODEL_COLUMNS,
  promoteDraftModels,
} from "../models/agent-model-store.ts";
import type { Agent, AgentContent, AgentStatus } from "./agent.ts";
import {
  AGENT_COLUMNS,
  type AgentPatch,
  type AgentRow,
  contentOf,
  toAgent,
  toContentRow,
  toRow,
  toStateRow,
} from "./agent-rows.ts";

/** State of an agent with a queued creation. */
const STARTED = {
  status: "processing",
  progress: 0,
  progress_msg: CREATION_PROGRESS.waiting,
  current_step: "payment",
  event_type: "",
  error_message: null,
  waiting_since: null,
} as const;

/** Content that is empty until the creation fills it in. */
const EMPTY_CONTENT = {
  description: "",
  greeting: "",
  language: "en",
  gender: "",
  subject: "",
  isNamed: false,
  voiceId: null,
  galleryId: null,
  faceMarks: null,
  suggestedFaceMarks: null,
} as const;

/** A request for an agent. The creation fills in the rest of its content. */
export type NewAgent = Pick<Agent, "userId" | "code" | "createdAt"> &
  Omit<AgentContent, keyof typeof EMPTY_CONTENT> &
  Partial<Pick<AgentContent, "isNamed" | "voiceId">>;

/** The agent of a code, deleted ones included, or null. With `lock` the row is held until the transaction ends. */
export async function findAgentByCode(
  database: Queryable,
  code: string,
  options: { lock?: boolean } = {},
): Promise<Agent | null> {
  // Status polls use this path: many concurrent look-ups share one statement.
  if (!options.lock && isOutsideTransaction(database)) return findShared(database, code);
  return findAgent(database, { code }, options);
}

/** As `findAgentByCode`, by row id. */
export async function findAgentById(
  database: Queryable,
  id: string,
  options: { lock?: boolean } = {},
): Promise<Agent | null> {
  return findAgent(database, { id }, options);
}

/** Whether an agent is there and not deleted. It stays so until the transaction ends: a deletion waits. */
export async function isLivingAgent(transaction: Transaction<Tables>, code: string): Promise<boolean> {
  const row = await transaction
    .selectFrom("agents")
    .select("deleted_at")
    .where("code", "=", code)
    .forShare()
    .executeTakeFirst();
  return row?.deleted_at === null;
}

async function findAgent(
  database: Queryable,
  by: { code: string } | { id: string },
  options: { lock?: boolean },
): Promise<Agent | null> {
  const query = database
    .selectFrom("agents")
    .selectAll("agents")
    .where((agent) => ("code" in by ? agent("code", "=", by.code) : agent("agents.id", "=", by.id)));
  if (options.lock) {
    // The models are read after the row is locked: before, they may still change.
    const row = await query.forUpdate().executeTakeFirst();
    return row ? withModels(database, row) : null;
  }
  const row = await query.select(modelsOfAgent).executeTakeFirst();
  return row ? toAgent(row, row.models) : null;
}

/** As `findAgentByCode`. Concurrent look-ups share one statement. */
const findShared = createSharedStatement<string, Agent | null>((database) => {
  const query = database
    .selectFrom("agents")
    .select(AGENT_COLUMNS)
    .select(modelsOfAgent)
    .where("code", "=", sql<string>`any(${[]}::text[])`)
    .compile();
  return async (codes) => {
    const parameters = [[...new Set(codes)]];
    const { rows } = await database.executeQuery<InferResult<typeof query>[number]>({ ...query, parameters });
    const agents = new Map(rows.map((row) => [row.code, toAgent(row, row.models)]));
    return codes.map((code) => agents.get(code) ?? null);
  };
});

/** The models of the agents that a query selects, as JSON. */
function modelsOfAgent(fields: ExpressionBuilder<Tables, "agents">) {
  return jsonArrayFrom(
    fields
      .selectFrom("agent_models")
      .select(MODEL_COLUMNS)
      .whereRef("agent_models.agent_id", "=", "agents.id")
      .orderBy("family"),
  ).as("models");
}

/** Inserts an agent in state `processing`. Returns null if the code is taken. */
export async function insertAgent(database: Queryable, agent: NewAgent): Promise<Agent | null> {
  const { userId, code, createdAt, ...input } = agent;
  const row = await database
    .insertInto("agents")
    .values({
      ...toContentRow(input),
      ...STARTED,
      name: input.name,
      system_prompt: input.systemPrompt,
      model: input.model,
      user_id: userId,
      code,
      created_at: createdAt,
      updated_at: createdAt,
    })
    .onConflict((conflict) => conflict.column("code").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toAgent(row, []) : null;
}

/** Puts an agent back to `processing` with new input and a new revision. With `isDraft`, the input goes into a draft
 *  and the agent keeps its content and models until the draft is complete. Otherwise its models are deleted. */
export async function restartAgent(
  database: Queryable,
  id: string,
  { isDraft, input }: { isDraft: boolean; input: NewAgent },
): Promise<Agent> {
  const content = contentOf({ ...EMPTY_CONTENT, ...input });
  await database
    .updateTable("agents")
    .set((fields) => ({
      ...(isDraft ? { draft: JSON.stringify(content) } : { ...toContentRow(content), draft: null }),
      ...STARTED,
      revision: fields("revision", "+", 1),
      updated_at: input.createdAt,
    }))
    .where("id", "=", id)
    .execute();
  if (isDraft) await clearReasons(database, id);
  else await database.deleteFrom("agent_models").where("agent_id", "=", id).execute();
  return (await findAgentById(database, id)) as Agent;
}

/** Replaces the agent's content and models by those of its complete draft. */
export async function promoteDraft(database: Queryable, { id, draft }: Agent): Promise<void> {
  if (draft === null) return;
  await database
    .updateTable("agents")
    .set({ ...toContentRow(draft), draft: null })
    .where("id", "=", id)
    .execute();
  await promoteDraftModels(database, id);
}

/** Drops a draft after all its models have failed for `reason`. */
export async function dropDraft(database: Queryable, agent: Agent, reason: string, at: Date): Promise<void> {
  if (agent.draft === null) return;
  await database.updateTable("agents").set({ draft: null }).where("id", "=", agent.id).execute();
  await dropDraftModels(database, agent, reason, at);
}

/** Changes fields of an agent. */
export async function updateAgent(database: Queryable, id: string, patch: AgentPatch, now: Date): Promise<void> {
  await database
    .updateTable("agents")
    .set({ ...toRow(patch), updated_at: now })
    .where("id", "=", id)
    .execute();
}

/** Changes which providers the agent uses; kinds that the change leaves out stay. */
export async function selectProviders(
  database: Queryable,
  id: string,
  change: SelectionChange,
  now: Date,
): Promise<void> {
  // One statement, so that two changes at once keep each other's kinds.
  await database
    .updateTable("agents")
    .set({
      providers: sql<string>`jsonb_strip_nulls(agents.providers || ${JSON.stringify(change)}::jsonb)`,
      updated_at: now,
    })
    .where("id", "=", id)
    .execute();
}

/** Changes the agent's state, and the content that its creation works on: that of the draft if there is one, else the
 *  agent's own. Returns false, and changes nothing, if the agent was deleted or its revision has changed. */
export async function updateCreation(
  database: Queryable,
  { id, revision, draft }: Pick<Agent, "id" | "revision" | "draft">,
  patch: AgentPatch,
  now: Date,
): Promise<boolean> {
  const content = contentOf(patch);
  const { numUpdatedRows } = await database
    .updateTable("agents")
    .set({
      ...toStateRow(patch),
      ...(draft === null
        ? toContentRow(content)
        : { draft: sql<string>`agents.draft || ${JSON.stringify(content)}::jsonb` }),
      updated_at: now,
    })
    .where("id", "=", id)
    .where("revision", "=", revision)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface AgentPage {
  limit: number;
  offset: number;
  status?: AgentStatus | "deleted";
  /** Beginning of their codes, without `%` and `_`. Default: all. */
  codePrefix?: string;
  /** Part of their names or codes, in any case. Default: all. */
  search?: string;
  /** Without those that were deleted. Default: with them. */
  isPresent?: boolean;
}

/** Agents of an account, newest first. */
export async function listAgents(
  database: Queryable,
  userId: string,
  page: AgentPage,
): Promise<{ agents: Agent[]; total: number }> {
  let query = database.selectFrom("agents").where("user_id", "=", userId);
  if (page.codePrefix !== undefined) query = query.where("code", "like", `${page.codePrefix}%`);
  if (page.search) {
    const pattern = `%${page.search.replace(/[\\%_]/g, "\\$&")}%`;
    query = query.where((fields) => fields.or([fields("name", "ilike", pattern), fields("code", "ilike", pattern)]));
  }
  if (page.isPresent) query = query.where("deleted_at", "is", null);
  if (page.status === "deleted") query = query.where("deleted_at", "is not", null);
  else if (page.status) query = query.where("status", "=", page.status).where("deleted_at", "is", null);
  const { total } = await query.select((fields) => fields.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  const rows = await query
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const models =
    rows.length === 0
      ? []
      : await listModelRows(
          database,
          rows.map(({ id }) => id),
        );
  return {
    agents: rows.map((row) =>
      toAgent(
        row,
        models.filter(({ agent_id }) => agent_id === row.id),
      ),
    ),
    total,
  };
}

/** Whether jobs make an agent now; one that waits for face marks does not count. */
export async function isAnyInCreation(database: Queryable): Promise<boolean> {
  const row = await database
    .selectFrom("agents")
    .select("id")
    .where("status", "in", ["processing", "generating", "completed"])
    .where("waiting_since", "is", null)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Number of an account's agents that count towards its plan: those with a working model, and those in creation. */
export async function countAgents(database: Queryable, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom("agents")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .where((agent) =>
      agent.or([
        agent("status", "<>", "failed"),
        agent.exists(
          agent
            .selectFrom("agent_models")
            .whereRef("agent_models.agent_id", "=", "agents.id")
            .where("state", "=", "ready"),
        ),
      ]),
    )
    .executeTakeFirstOrThrow();
  return count;
}

async function withModels(database: Queryable, row: AgentRow): Promise<Agent> {
  return toAgent(row, await listModelRows(database, [row.id]));
}
