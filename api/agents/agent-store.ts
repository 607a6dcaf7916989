// Agents in PostgreSQL. Every function takes the database or a transaction; none decides anything.
import { type ExpressionBuilder, type InferResult, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { isOutsideTransaction, type Queryable, type Tables } from "../kernel/database/database.ts";
import { createSharedStatement } from "../kernel/database/shared-statement.ts";
import type { Agent, AgentStatus } from "./agent.ts";
import { AGENT_COLUMNS, type AgentPatch, type AgentRow, toAgent, toRow } from "./agent-rows.ts";
import { listModelRows, MODEL_COLUMNS } from "./models/agent-model-store.ts";

const QUEUED_MESSAGE = "Waiting for its turn";

export type NewAgent = Pick<
  Agent,
  | "userId"
  | "code"
  | "name"
  | "prompt"
  | "systemPrompt"
  | "model"
  | "aspectRatio"
  | "framing"
  | "transparency"
  | "imageUrl"
  | "portraitKey"
  | "portraitSize"
  | "voiceSampleUrl"
  | "voicePitchHz"
  | "createdAt"
>;

/** The agent of a code, deleted ones included, or null. With `lock` the row is held until the transaction ends. */
export async function findAgentByCode(
  database: Queryable,
  code: string,
  options: { lock?: boolean } = {},
): Promise<Agent | null> {
  // Pollers come here, many at a time.
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
    // The models are read once the row is held: before, they may still change.
    const row = await query.forUpdate().executeTakeFirst();
    return row ? withModels(database, row) : null;
  }
  const row = await query.select(modelsOfAgent).executeTakeFirst();
  return row ? toAgent(row, row.models) : null;
}

/** The agent of a code, in one statement with all that are asked for at the same time. */
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
  const row = await database
    .insertInto("agents")
    .values({ ...inputColumns(agent), user_id: agent.userId, code: agent.code, created_at: agent.createdAt })
    .onConflict((conflict) => conflict.column("code").doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toAgent(row, []) : null;
}

/** Puts an agent back to `processing` with new input and a new revision. */
export async function restartAgent(database: Queryable, id: string, input: NewAgent): Promise<Agent> {
  const row = await database
    .updateTable("agents")
    .set((fields) => ({
      ...inputColumns(input),
      revision: fields("revision", "+", 1),
      voice_id: null,
      gallery_id: null,
      face_marks: null,
      suggested_face_marks: null,
      waiting_since: null,
      description: "",
      language: "en",
      gender: "",
      subject: "",
      progress: 0,
      progress_msg: QUEUED_MESSAGE,
      current_step: "payment",
      event_type: "",
      error_message: null,
    }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await database.deleteFrom("agent_models").where("agent_id", "=", id).execute();
  return toAgent(row, []);
}

/** Changes fields of an agent; with `revision`, only while it is still at that revision. Returns whether a row changed. */
export async function updateAgent(
  database: Queryable,
  id: string,
  patch: AgentPatch,
  now: Date,
  revision?: number,
): Promise<boolean> {
  let query = database
    .updateTable("agents")
    .set({ ...toRow(patch), updated_at: now })
    .where("id", "=", id);
  if (revision !== undefined) query = query.where("revision", "=", revision).where("deleted_at", "is", null);
  const result = await query.executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Agents of an account, newest first. `status` may also be `deleted`. */
export async function listAgents(
  database: Queryable,
  userId: string,
  page: { limit: number; offset: number; status?: AgentStatus | "deleted" },
): Promise<{ agents: Agent[]; total: number }> {
  let query = database.selectFrom("agents").where("user_id", "=", userId);
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

/** Number of agents an account holds; deleted and failed ones do not count. */
export async function countAgents(database: Queryable, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom("agents")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("deleted_at", "is", null)
    .where("status", "<>", "failed")
    .executeTakeFirstOrThrow();
  return count;
}

/** What a request says of an agent, which is then at the start of its making. */
function inputColumns(agent: NewAgent) {
  return {
    name: agent.name,
    prompt: agent.prompt,
    system_prompt: agent.systemPrompt,
    model: agent.model,
    aspect_ratio: agent.aspectRatio,
    framing: agent.framing,
    transparency: agent.transparency,
    image_url: agent.imageUrl,
    portrait_key: agent.portraitKey,
    portrait_width_px: agent.portraitSize?.widthPx ?? null,
    portrait_height_px: agent.portraitSize?.heightPx ?? null,
    voice_sample_url: agent.voiceSampleUrl,
    voice_pitch_hz: agent.voicePitchHz,
    progress_msg: QUEUED_MESSAGE,
    status: "processing" as const,
    updated_at: agent.createdAt,
  };
}

async function withModels(database: Queryable, row: AgentRow): Promise<Agent> {
  return toAgent(row, await listModelRows(database, [row.id]));
}
