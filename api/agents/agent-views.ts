// Agents as callers see them.
import { z } from "zod";
import { MANNERS } from "../../shared/manners.ts";
import type { ModelFamily } from "../../shared/models.ts";
import { type FileLinks, MODEL_LINK_SECONDS } from "../kernel/storage/file-links.ts";
import { shownSelectionSchema } from "../providers/provider-selection.ts";
import { greetingOf } from "./greeting.ts";
import { artifactFilename } from "./models/model-download.ts";
import type { PosterLinks } from "./posters/poster-links.ts";
import {
  AGENT_STATUSES,
  AGENT_STEPS,
  type Agent,
  isDynamicsEnabled,
  LOCAL_RENDERING,
  supportedModels,
} from "./record/agent.ts";

const posterUrl = z.string().nullable().meta({
  description:
    "Link to a still of the agent at rest, the first frame of its video; the portrait while no model has a file, null before that and after its deletion",
});

/** The full record: the answer to both the status and the detail call. */
export const agentViewSchema = z
  .object({
    agent_id: z.string(),
    code: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(AGENT_STATUSES),
    system_prompt: z.string(),
    greeting: z.string(),
    language: z.string(),
    gender: z.string(),
    subject: z.string(),
    model: z.string(),
    image_url: z.string().meta({ description: "Link to the portrait; empty until the portrait exists" }),
    poster_url: posterUrl,
    video_url: z.string(),
    model_url: z
      .string()
      .nullable()
      .meta({ description: "Link to the .imx file, valid for one hour; null until the file exists" }),
    voice_id: z.string().meta({ description: "The agent's voice; empty until it is chosen" }),
    progress: z.number().min(0).max(1),
    progress_msg: z.string(),
    current_step: z.enum(AGENT_STEPS),
    supported_models: z.array(z.string()),
    model_status: z.record(
      z.string(),
      z.object({ state: z.enum(["pending", "ready", "failed"]), reason: z.string().nullable() }),
    ),
    dynamics: z.looseObject({ enabled: z.boolean() }).meta({ id: "AgentDynamics" }),
    providers: shownSelectionSchema
      .optional()
      .meta({ description: "The account's own servers that the agent's sessions use; only if one was chosen" }),
    kb_ids: z.array(z.string()).meta({ description: "Ids of the knowledge bases that the agent uses" }),
    local_rendering: z.enum(LOCAL_RENDERING).meta({
      description:
        "Whether browsers of visitors may render the agent: default (with a token that names the visitor), allowed (with shared tokens, too) or forbidden",
    }),
    emotion: z.string().nullable().meta({
      description:
        "What the face shows by default: an expression, or one with an intensity, such as happy:0.6; null: neutral",
    }),
    manner: z
      .enum(MANNERS)
      .nullable()
      .meta({ description: "How lively the face is by itself: still, natural or animated; null: natural" }),
    event_type: z.string(),
    error_message: z.string().nullable(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Agent" });

export const agentSummarySchema = z
  .object({
    code: z.string(),
    agent_id: z.string(),
    name: z.string(),
    model: z.string(),
    status: z.enum([...AGENT_STATUSES, "deleted"]),
    supported_models: z.array(z.string()),
    poster_url: posterUrl,
    created_at: z.iso.datetime(),
  })
  .meta({ id: "AgentSummary" });

export interface ViewServices {
  fileLinks: FileLinks;
  posters: PosterLinks;
  offeredModels: readonly ModelFamily[];
}

/** An agent's full record but for its providers and knowledge bases, with newly signed links. */
export function viewAgent(
  agent: Agent,
  { fileLinks, posters, offeredModels }: ViewServices,
): Omit<z.infer<typeof agentViewSchema>, "kb_ids"> {
  const own = agent.models.find(({ family }) => family === agent.model);
  const isDownloadable = own?.state === "ready" && own.artifactKey !== null && agent.model !== "expression-1";
  return {
    agent_id: agent.code,
    code: agent.code,
    name: agent.name,
    description: agent.description,
    status: agent.status,
    system_prompt: agent.systemPrompt,
    greeting: greetingOf(agent),
    language: agent.language,
    gender: agent.gender,
    subject: agent.subject,
    model: agent.model,
    image_url: agent.portraitKey ? fileLinks.linkTo(agent.portraitKey, { expiresInSeconds: null }) : "",
    poster_url: posterOf(agent, posters),
    video_url: agent.clipKey ? fileLinks.linkTo(agent.clipKey, { expiresInSeconds: null }) : "",
    model_url:
      isDownloadable && own.artifactKey
        ? fileLinks.linkTo(own.artifactKey, {
            expiresInSeconds: MODEL_LINK_SECONDS,
            filename: artifactFilename(agent.code, agent.model),
          })
        : null,
    voice_id: agent.voiceId ?? "",
    progress: agent.progress,
    progress_msg: agent.progressMessage,
    current_step: agent.currentStep,
    supported_models: supportedModels(agent, offeredModels),
    // A family that is being made again is pending, although its earlier model still works.
    model_status: Object.fromEntries(
      [...agent.models, ...agent.draftModels].map(({ family, state, reason }) => [family, { state, reason }]),
    ),
    dynamics: { ...agent.dynamics, enabled: isDynamicsEnabled(agent) },
    local_rendering: agent.localRendering,
    emotion: agent.emotion,
    manner: agent.manner,
    event_type: agent.eventType,
    error_message: agent.errorMessage,
    created_at: agent.createdAt.toISOString(),
    updated_at: agent.updatedAt.toISOString(),
  };
}

/** An entry of the list of agents. */
export function summarizeAgent(
  agent: Agent,
  { posters, offeredModels }: Pick<ViewServices, "posters" | "offeredModels">,
): z.infer<typeof agentSummarySchema> {
  return {
    code: agent.code,
    agent_id: agent.code,
    name: agent.name,
    model: agent.model,
    status: agent.deletedAt ? "deleted" : agent.status,
    supported_models: agent.deletedAt ? [] : supportedModels(agent, offeredModels),
    poster_url: posterOf(agent, posters),
    created_at: agent.createdAt.toISOString(),
  };
}

function posterOf(agent: Agent, posters: PosterLinks): string | null {
  return agent.deletedAt ? null : posters.linkTo(agent);
}
