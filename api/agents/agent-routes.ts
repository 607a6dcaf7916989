// Routes of agents: create, read, change, delete.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { Answer } from "../kernel/http/answer.ts";
import { deprecationHeaders } from "../kernel/http/deprecation.ts";
import { idempotentRequest } from "../kernel/http/idempotency.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { paginationOf, paginationSchema } from "../kernel/http/shared-schemas.ts";
import {
  assertSelectable,
  selectionChangeOf,
  selectionChangeSchema,
  viewSelection,
} from "../providers/provider-selection.ts";
import { agentNotFound } from "./agent-access.ts";
import type { AgentServices } from "./agent-services.ts";
import { agentSummarySchema, agentViewSchema, summarizeAgent, viewAgent } from "./agent-views.ts";
import { warningSchema } from "./api-warning.ts";
import { changeSystemPrompt } from "./change-system-prompt.ts";
import { createAgent } from "./create-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import { emotionField, mannerField } from "./emotion-field.ts";
import { MAX_GREETING_CHARACTERS } from "./greeting.ts";
import { modelDeprecation } from "./models/model-choice.ts";
import { type AgentCaller, assertPageChange, assertPageOrder } from "./page-agents.ts";
import { AGENT_STATUSES, ASPECT_RATIOS, FRAMINGS, LOCAL_RENDERING } from "./record/agent.ts";
import { selectProviders, updateAgent } from "./record/agent-store.ts";
import { requireVoice } from "./voices/requested-voice.ts";

/** Fits an image and a voice sample of 10 MB each in base64, and the other fields. */
const GENERATE_BODY_BYTES = 28 * 1024 * 1024;
const MAX_PROMPT_CHARACTERS = 20_000;
const MAX_NAME_CHARACTERS = 60;
const MAX_SEARCH_CHARACTERS = 100;
const OPERATION_GENERATE = "agent-generate";
const TAGS = ["Agents"];

const prompt = z.string().max(MAX_PROMPT_CHARACTERS);
const agentName = z.string().trim().max(MAX_NAME_CHARACTERS);
const codeParams = z.object({ code: z.string() });
/** Clients send what they do not use as null, so null means absent throughout. */
const generateSchema = z
  .object({
    prompt: prompt.nullish(),
    name: agentName.nullish().meta({
      description:
        "What the agent is called, at most 60 characters; an empty text leaves it without a name. Default: the name in the prompt, one that the operator's language model writes, or one of a list by a hash of the prompt",
    }),
    voice: z.string().min(1).max(200).nullish().meta({
      description:
        "M1 to M5, F1 to F5, or the code of a designed voice. Default: a voice near the sample, that of a bundled portrait, or one of the catalogue by a hash of the prompt; the image decides nothing",
    }),
    image: z.string().nullish().meta({ description: "URL, base64 or data URI of an image with one face" }),
    audio: z.string().nullish().meta({
      description:
        "URL, base64 or data URI of a voice sample. A voice is designed near it in pitch, pace and brightness; it is no clone, and the sample is not kept",
    }),
    video: z.unknown().optional().meta({ description: "Not supported: a request with this field is refused" }),
    aspect_ratio: z.enum(ASPECT_RATIOS).nullish().meta({ description: "Default: 16:9" }),
    agent_id: z.string().nullish(),
    duration: z.unknown().optional().meta({ deprecated: true }),
    video_aspect_ratio: z.unknown().optional().meta({ deprecated: true }),
    model: z.string().nullish(),
    version: z.string().nullish(),
    framing: z.enum(FRAMINGS).nullish(),
    emotion: emotionField.nullish().meta({
      description:
        "What the agent's face shows by default: neutral, happy, sad, angry, surprised, afraid, disgusted or content, or one with an intensity, such as happy:0.6. Default: neutral",
    }),
    manner: mannerField.nullish().meta({
      description:
        "How lively the agent's face is by itself: still (breath, blinks, lips, and what a caller sets), natural or animated. Default: natural",
    }),
    transparency: z.boolean().nullish().meta({ description: "Render on a plain green background. Default: false" }),
  })
  .meta({ id: "GenerateAgent" });

const creationAnswerSchema = z.object({
  success: z.literal(true),
  message: z.string(),
  agent_id: z.string(),
  status: z.literal("processing"),
  warnings: z.array(warningSchema).optional(),
});
const agentAnswerSchema = z.object({ success: z.literal(true), data: agentViewSchema });

/** The routes. */
export function agentRoutes(services: AgentServices): Route[] {
  const { database, pageAgents } = services;

  async function answerAgent(caller: AgentCaller, code: string) {
    const agent = await pageAgents.require(caller, code);
    const providers = await viewSelection(database, agent.userId, agent.providers);
    const knowledgeBaseIds = await services.listKnowledge(database, agent);
    const own = { kb_ids: knowledgeBaseIds, ...(providers && { providers }) };
    return { success: true as const, data: { ...viewAgent(agent, services), ...own } };
  }

  return [
    route({
      method: "post",
      path: "/v1/agent/generate",
      operation: "agents.generate",
      tier: "generate",
      auth: "secret-or-page",
      summary: "Create an agent from a prompt and an optional portrait, or regenerate one",
      tags: TAGS,
      body: generateSchema,
      example: { body: { prompt: "A patient museum guide", model: "essence-2" } },
      bodyLimitBytes: GENERATE_BODY_BYTES,
      requestHeaders: {
        "Idempotency-Key":
          "A repeated request with the same key within 24 hours returns the first answer and creates no second agent",
      },
      response: creationAnswerSchema,
      errors: [
        "MISSING_PARAM",
        "VIDEO_INPUT_NOT_SUPPORTED",
        "MODEL_NOT_OFFERED",
        "INSUFFICIENT_BALANCE",
        "ACCOUNT_SUSPENDED",
        "PLAN_REQUIRED",
        "AGENT_LIMIT_REACHED",
        "NOT_FOUND",
        "CONFLICT",
        "AGENT_NOT_READY",
        "AGENT_DELETED",
        "FILE_TOO_LARGE",
        "UNSUPPORTED_TYPE",
        "MODEL_SUBJECT_MISMATCH",
        "IMAGE_FACE_UNSUITABLE",
        "SERVICE_UNAVAILABLE",
        "MODEL_NOT_YET_AVAILABLE",
        "VOICE_NOT_FOUND",
      ],
      async handler({ body, caller, request }) {
        const account = pageAgents.accountOf(caller);
        const isPage = caller.kind === "page";
        if (isPage) assertPageOrder(body);
        const key = request.headers["idempotency-key"];
        const idempotency = idempotentRequest(key, account.userId, OPERATION_GENERATE, body);
        const { answer, isReplay } = await createAgent(
          services,
          {
            account,
            secretId: caller.secretId,
            prompt: body.prompt ?? undefined,
            name: body.name ?? undefined,
            voiceId: body.voice ? requireVoice(body.voice, "voice") : undefined,
            image: body.image ?? undefined,
            audio: body.audio ?? undefined,
            hasVideo: body.video !== undefined && body.video !== null,
            agentCode: isPage ? pageAgents.newCode(account) : (body.agent_id ?? undefined),
            model: body.model ?? undefined,
            version: body.version ?? undefined,
            aspectRatio: body.aspect_ratio ?? "16:9",
            framing: body.framing ?? "portrait",
            transparency: body.transparency ?? false,
            emotion: body.emotion ?? undefined,
            manner: body.manner ?? undefined,
            signal: request.signal,
          },
          idempotency,
        );
        const deprecation = modelDeprecation(body.model ?? undefined, body.version ?? undefined);
        const headers = {
          ...(isReplay && { "Idempotency-Replayed": "true" }),
          ...(deprecation && deprecationHeaders(deprecation)),
        };
        return new Answer({ json: answer, headers });
      },
    }),
    route({
      method: "get",
      path: "/v1/agent/status/:agent_id",
      operation: "agents.status",
      tier: "read",
      auth: "secret-or-page",
      summary: "Get the progress of an agent's creation",
      tags: TAGS,
      params: z.object({ agent_id: z.string() }),
      response: agentAnswerSchema,
      errors: ["NOT_FOUND"],
      handler: ({ params, caller }) => answerAgent(caller, params.agent_id),
    }),
    route({
      method: "get",
      path: "/v1/agents",
      operation: "agents.list",
      tier: "read",
      auth: "secret-or-page",
      summary: "List the account's agents, newest first, including deleted ones",
      tags: TAGS,
      query: z.object({
        limit: z.coerce.number().int().min(1).max(100).default(20),
        offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
        status: z.enum([...AGENT_STATUSES, "deleted"]).optional(),
        search: z
          .string()
          .trim()
          .max(MAX_SEARCH_CHARACTERS)
          .optional()
          .meta({ description: "Only agents with this text in their name or code, in upper or lower case" }),
        deleted: z
          .enum(["true", "false"])
          .optional()
          .meta({ description: "false leaves out deleted agents. Default: true" }),
      }),
      response: z.object({
        success: z.literal(true),
        data: z.array(agentSummarySchema),
        pagination: paginationSchema,
      }),
      errors: [],
      async handler({ query, caller }) {
        const { limit, offset, deleted, ...filter } = query;
        const page = { ...filter, limit, offset, isPresent: deleted === "false" };
        const { agents, total } = await pageAgents.list(caller, page);
        const pagination = paginationOf({ limit, offset, total }, agents);
        const data = agents.map((agent) => summarizeAgent(agent, services));
        return { success: true as const, data, pagination };
      },
    }),
    route({
      method: "get",
      path: "/v1/agent/:code",
      operation: "agents.get",
      tier: "read",
      auth: "secret",
      summary: "Get an agent",
      tags: TAGS,
      params: codeParams,
      response: agentAnswerSchema,
      errors: ["NOT_FOUND"],
      handler: ({ params, caller }) => answerAgent(caller, params.code),
    }),
    route({
      method: "post",
      path: "/v1/agent/:code",
      operation: "agents.update",
      tier: "write",
      auth: "secret-or-page",
      summary:
        "Change an agent's name, system prompt, greeting, voice, knowledge bases, providers, local rendering, emotion or manner",
      tags: TAGS,
      params: codeParams,
      body: z.object({
        name: agentName.nullish().meta({ description: "What the agent is called; an empty text takes its name away" }),
        system_prompt: prompt.min(1).nullish(),
        greeting: z.string().trim().max(MAX_GREETING_CHARACTERS).nullish().meta({
          description:
            "What the agent says first from its next session on, at most 240 characters; an empty text brings back the sentence of its language",
        }),
        voice: z.string().min(1).nullish().meta({
          description:
            "How the agent speaks from its next session on: M1 to M5, F1 to F5, or the code of a designed voice",
        }),
        kb_ids: z.array(z.string()).max(100).nullish().meta({
          description:
            "Ids of the knowledge bases of the agent. The list replaces the previous one; an empty list removes all.",
        }),
        providers: selectionChangeSchema.nullish().meta({
          description:
            "The account's own servers that the agent uses from its next session on, by kind: default, or {mode: custom, provider_id}. Kinds that are absent stay",
        }),
        local_rendering: z.enum(LOCAL_RENDERING).nullish().meta({
          description:
            "Whether browsers of visitors may render the agent, for which they get its model file. default: those of visitors whom an embed token names; allowed: also with tokens that visitors share, as short links do; forbidden: none, so the file never leaves",
        }),
        emotion: emotionField.nullish().meta({
          description:
            "What the agent's face shows by default from its next session on: neutral, happy, sad, angry, surprised, afraid, disgusted or content, or one with an intensity, such as happy:0.6. null: neutral",
        }),
        manner: mannerField.nullish().meta({
          description:
            "How lively the agent's face is by itself from its next session on: still (breath, blinks, lips, and what a caller sets), natural or animated. null: natural",
        }),
      }),
      example: { body: { system_prompt: "You are a patient museum guide. Answer in two sentences.", voice: "F2" } },
      response: z.object({ agent_code: z.string(), updated: z.boolean() }),
      errors: ["MISSING_PARAM", "NOT_FOUND", "VOICE_NOT_FOUND", "FORBIDDEN"],
      async handler({ params, body, caller }) {
        const { name, system_prompt: systemPrompt, kb_ids: knowledgeBaseIds } = body;
        const localRendering = body.local_rendering ?? undefined;
        if (caller.kind === "page") assertPageChange(body);
        const voiceId = body.voice ? requireVoice(body.voice, "voice") : undefined;
        const selection = selectionChangeOf(body.providers);
        const hasName = name !== undefined && name !== null;
        const hasPrompt = systemPrompt !== undefined && systemPrompt !== null;
        const hasGreeting = body.greeting !== undefined && body.greeting !== null;
        const hasKnowledge = knowledgeBaseIds !== undefined && knowledgeBaseIds !== null;
        // Null clears these two.
        const { emotion, manner } = body;
        const hasFace = emotion !== undefined || manner !== undefined;
        const isSet = voiceId !== undefined || localRendering !== undefined || hasFace;
        const hasMore = hasName || hasGreeting || hasKnowledge || isSet || selection !== null;
        const { code } = params;
        if (hasPrompt && !hasMore && caller.kind === "secret") {
          const { userId } = caller.account;
          const change = { userId, code, systemPrompt, now: new Date(services.now()) };
          if (!(await changeSystemPrompt(database, change))) throw agentNotFound(code);
          return { agent_code: code, updated: true };
        }
        const agent = await pageAgents.require(caller, code);
        if (!hasPrompt && !hasMore) {
          throw new ServiceError(
            "MISSING_PARAM",
            "Nothing to change: name, system_prompt, greeting, voice, kb_ids, providers, local_rendering, emotion or manner is required.",
          );
        }
        await database.transaction().execute(async (transaction) => {
          const now = new Date(services.now());
          const patch = {
            ...(hasName && { name, isNamed: true }),
            // A greeting that says the earlier name would be wrong.
            ...(hasName && agent.name !== "" && agent.greeting.includes(agent.name) && { greeting: "" }),
            ...(hasGreeting && { greeting: body.greeting ?? "" }),
            ...(hasPrompt && { systemPrompt }),
            ...(voiceId !== undefined && { voiceId }),
            ...(localRendering !== undefined && { localRendering }),
            ...(emotion !== undefined && { emotion }),
            ...(manner !== undefined && { manner }),
          };
          if (selection) await assertSelectable(transaction, agent.userId, selection);
          if (Object.keys(patch).length > 0) await updateAgent(transaction, agent.id, patch, now);
          if (selection) await selectProviders(transaction, agent.id, selection, now);
          if (hasKnowledge && caller.kind === "secret") {
            await services.attachKnowledge(transaction, caller, agent.id, knowledgeBaseIds);
          }
        });
        return { agent_code: agent.code, updated: true };
      },
    }),
    route({
      method: "delete",
      path: "/v1/agent/:code",
      operation: "agents.delete",
      tier: "write",
      auth: "secret-or-page",
      summary: "Delete an agent permanently",
      tags: TAGS,
      params: codeParams,
      response: z.object({ success: z.literal(true), agent_code: z.string(), deleted: z.literal(true) }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const agent = await pageAgents.require(caller, params.code);
        await deleteAgent(services, agent);
        return { success: true as const, agent_code: agent.code, deleted: true as const };
      },
    }),
  ];
}
