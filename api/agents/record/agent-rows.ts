// Converts between rows of the table `agents` and the types that the rest of the api uses.
import type { Selectable } from "kysely";
import type { Tables } from "../../kernel/database/database.ts";
import { type ModelColumns, toModel } from "../models/agent-model-store.ts";
import type { Agent, AgentContent } from "./agent.ts";

export type AgentRow = Selectable<Tables["agents"]>;

/** Fields of the agent itself that its creation or its owner may change. */
export type AgentStatePatch = Partial<
  Pick<
    Agent,
    | "waitingSince"
    | "status"
    | "progress"
    | "progressMessage"
    | "currentStep"
    | "eventType"
    | "errorMessage"
    | "clipKey"
    | "deletedAt"
    | "purgedAt"
    | "dynamics"
    | "localRendering"
    | "emotion"
    | "manner"
  >
>;
export type AgentPatch = AgentStatePatch & Partial<AgentContent>;

/** All of an agent's columns, by name: the prepared statement stays valid while a newer process adds columns. */
export const AGENT_COLUMNS = [
  "id",
  "user_id",
  "code",
  "revision",
  "name",
  "is_named",
  "description",
  "prompt",
  "system_prompt",
  "greeting",
  "language",
  "gender",
  "subject",
  "model",
  "is_auto_model",
  "voice_id",
  "aspect_ratio",
  "framing",
  "transparency",
  "image_url",
  "image_key",
  "gallery_id",
  "portrait_key",
  "portrait_width_px",
  "portrait_height_px",
  "face_marks",
  "suggested_face_marks",
  "waiting_since",
  "voice_sample_url",
  "voice_sample_key",
  "voice_character",
  "status",
  "progress",
  "progress_msg",
  "current_step",
  "event_type",
  "error_message",
  "created_at",
  "updated_at",
  "clip_key",
  "deleted_at",
  "purged_at",
  "draft",
  "dynamics",
  "providers",
  "local_rendering",
  "emotion",
  "manner",
] as const satisfies readonly (keyof AgentRow)[];

/** An agent and its models. */
export function toAgent(row: AgentRow, models: ModelColumns[]): Agent {
  return {
    id: row.id,
    userId: row.user_id,
    code: row.code,
    revision: row.revision,
    name: row.name,
    isNamed: row.is_named,
    description: row.description,
    prompt: row.prompt,
    systemPrompt: row.system_prompt,
    greeting: row.greeting,
    language: row.language,
    gender: row.gender,
    subject: row.subject,
    model: row.model,
    isAutoModel: row.is_auto_model,
    voiceId: row.voice_id,
    aspectRatio: row.aspect_ratio,
    framing: row.framing,
    transparency: row.transparency,
    imageUrl: row.image_url,
    imageKey: row.image_key,
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
    voiceSampleKey: row.voice_sample_key,
    voiceCharacter: row.voice_character,
    status: row.status,
    // float4 has noise in its last digits; the contract's moves table has two decimals.
    progress: Math.round(row.progress * 100) / 100,
    progressMessage: row.progress_msg,
    currentStep: row.current_step,
    eventType: row.event_type,
    errorMessage: row.error_message,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    clipKey: row.clip_key,
    deletedAt: row.deleted_at,
    purgedAt: row.purged_at,
    dynamics: row.dynamics,
    providers: row.providers,
    localRendering: row.local_rendering,
    emotion: row.emotion,
    manner: row.manner,
    models: models.filter((model) => !model.is_draft).map(toModel),
    draft: row.draft,
    draftModels: models.filter((model) => model.is_draft).map(toModel),
  };
}

/** The columns that a patch changes; the others are undefined. */
export function toRow(patch: AgentPatch) {
  return { ...toStateRow(patch), ...toContentRow(patch) };
}

/** As `toRow`, without the fields of the content. */
export function toStateRow(patch: AgentStatePatch) {
  return {
    waiting_since: patch.waitingSince,
    status: patch.status,
    progress: patch.progress,
    progress_msg: patch.progressMessage,
    current_step: patch.currentStep,
    event_type: patch.eventType,
    error_message: patch.errorMessage,
    clip_key: patch.clipKey,
    deleted_at: patch.deletedAt,
    purged_at: patch.purgedAt,
    dynamics: patch.dynamics && JSON.stringify(patch.dynamics),
    local_rendering: patch.localRendering,
    emotion: patch.emotion,
    manner: patch.manner,
  };
}

/** As `toRow`, with the fields of the content only. */
export function toContentRow(patch: Partial<AgentContent>) {
  const { portraitSize: size } = patch;
  return {
    name: patch.name,
    is_named: patch.isNamed,
    description: patch.description,
    prompt: patch.prompt,
    system_prompt: patch.systemPrompt,
    greeting: patch.greeting,
    language: patch.language,
    gender: patch.gender,
    subject: patch.subject,
    model: patch.model,
    is_auto_model: patch.isAutoModel,
    voice_id: patch.voiceId,
    aspect_ratio: patch.aspectRatio,
    framing: patch.framing,
    transparency: patch.transparency,
    image_url: patch.imageUrl,
    image_key: patch.imageKey,
    gallery_id: patch.galleryId,
    portrait_key: patch.portraitKey,
    portrait_width_px: size === null ? null : size?.widthPx,
    portrait_height_px: size === null ? null : size?.heightPx,
    face_marks: toJson(patch.faceMarks),
    suggested_face_marks: toJson(patch.suggestedFaceMarks),
    voice_sample_url: patch.voiceSampleUrl,
    voice_sample_key: patch.voiceSampleKey,
    voice_character: toJson(patch.voiceCharacter),
  };
}

const CONTENT_FIELDS = [
  "name",
  "isNamed",
  "description",
  "prompt",
  "systemPrompt",
  "greeting",
  "language",
  "gender",
  "subject",
  "model",
  "isAutoModel",
  "voiceId",
  "aspectRatio",
  "framing",
  "transparency",
  "imageUrl",
  "imageKey",
  "galleryId",
  "portraitKey",
  "portraitSize",
  "faceMarks",
  "suggestedFaceMarks",
  "voiceSampleUrl",
  "voiceSampleKey",
  "voiceCharacter",
] as const satisfies readonly (keyof AgentContent)[];

/** The fields of a patch that are content. */
export function contentOf(patch: AgentPatch): Partial<AgentContent> {
  return Object.fromEntries(CONTENT_FIELDS.filter((name) => name in patch).map((name) => [name, patch[name]]));
}

/** A value for a JSON column. `undefined` leaves the column unchanged. */
function toJson(value: object | null | undefined): string | null | undefined {
  return value === null || value === undefined ? value : JSON.stringify(value);
}
