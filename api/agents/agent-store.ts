// Agents in PostgreSQL. Every function takes the database or a transaction; none decides anything.
import type { Selectable } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Queryable } from "../database/database.ts";
import type { Agent, AgentStatus } from "./agent.ts";
import { listModelRows, MODEL_COLUMNS, type ModelColumns, toModel } from "./agent-model-store.ts";
import type { AgentTables } from "./agent-tables.ts";

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

/** Fields that the pipeline and the owner may change. */
export type AgentPatch = Partial<
  Omit<Agent, "id" | "userId" | "code" | "createdAt" | "updatedAt" | "models" | "revision">
>;

/** The agent of a code, deleted ones included, or null. With `lock` the row is held until the transaction ends. */
export async function findAgentByCode(
  database: Queryable,
  code: string,
  options: { lock?: boolean } = {},
): Promise<Agent | null> {
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
  // Pollers come here: one round trip.
  const row = await query
    .select((fields) =>
      jsonArrayFrom(
        fields
          .selectFrom("agent_models")
          .select(MODEL_COLUMNS)
          .whereRef("agent_models.agent_id", "=", "agents.id")
          .orderBy("family"),
      ).as("models"),
    )
    .executeTakeFirst();
  return row ? toAgent(row, row.models) : null;
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

type AgentRow = Selectable<AgentTables["agents"]>;

async function withModels(database: Queryable, row: AgentRow): Promise<Agent> {
  return toAgent(row, await listModelRows(database, [row.id]));
}

function toAgent(row: AgentRow, models: ModelColumns[]): Agent {
  return {
    id: row.id,
    userId: row.user_id,
    code: row.code,
    revision: row.revision,
    name: row.name,
    description: row.description,
    prompt: row.prompt,
    systemPrompt: row.system_prompt,
    language: row.language,
    gender: row.gender,
    subject: row.subject,
    model: row.model,
    voiceId: row.voice_id,
    aspectRatio: row.aspect_ratio,
    framing: row.framing,
    transparency: row.transparency,
    imageUrl: row.image_url,
    galleryId: row.gallery_id,
    portraitKey: row.portrait_key,
    portraitSize:
      row.portrait_width_px !== null && row.portrait_height_px !== null
        ? { widthPx: row.portrait_width_px, heightPx: row.portrait_height_px }
        : null,
    faceMarks: row.face_marks,
    suggestedFaceMarks: row.suggested_face_marks,
    waitingSince: row.waiting_since,
    voiceSampleUrl: row.voice_sample_url,
    voicePitchHz: row.voice_pitch_hz,
    status: row.status,
    // float4 carries noise in its last digits; two decimals are what the moves table speaks of.
    progress: Math.round(row.progress * 100) / 100,
    progressMessage: row.progress_msg,
    currentStep: row.current_step,
    eventType: row.event_type,
    errorMessage: row.error_message,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
    purgedAt: row.purged_at,
    models: models.map(toModel),
  };
}

function toRow(patch: AgentPatch) {
  return {
    name: patch.name,
    description: patch.description,
    system_prompt: patch.systemPrompt,
    language: patch.language,
    gender: patch.gender,
    subject: patch.subject,
    model: patch.model,
    voice_id: patch.voiceId,
    aspect_ratio: patch.aspectRatio,
    framing: patch.framing,
    prompt: patch.prompt,
    image_url: patch.imageUrl,
    gallery_id: patch.galleryId,
    portrait_key: patch.portraitKey,
    portrait_width_px: patch.portraitSize?.widthPx,
    portrait_height_px: patch.portraitSize?.heightPx,
    face_marks: toJson(patch.faceMarks),
    suggested_face_marks: toJson(patch.suggestedFaceMarks),
    waiting_since: patch.waitingSince,
    voice_pitch_hz: patch.voicePitchHz,
    status: patch.status,
    progress: patch.progress,
    progress_msg: patch.progressMessage,
    current_step: patch.currentStep,
    event_type: patch.eventType,
    error_message: patch.errorMessage,
    deleted_at: patch.deletedAt,
    purged_at: patch.purgedAt,
  };
}

/** A value for a JSON column; a field that is not to change stays so. */
function toJson(value: object | null | undefined): string | null | undefined {
  return value === null || value === undefined ? value : JSON.stringify(value);
}
