// Tools that make, find, change and delete agents.
import { z } from "zod";
import type { AgentOrder } from "../../sdk/client/index.ts";
import { ADDS, DELETES, READS, SETS, type Tool, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { bytesOf, readFile } from "./file-arguments.ts";
import { follow } from "./follow.ts";
import { answerOf } from "./lists.ts";
import {
  AGENT,
  AGENT_ID,
  BASE64,
  DELETED,
  limitOf,
  OFFSET,
  PATH,
  pageOf,
  WAIT_SECONDS,
  WEB_ADDRESS,
} from "./shapes.ts";

/** Pictures and voice samples of this size are refused by the service anyway. */
const FILE_LIMIT_BYTES = 20 * 1024 * 1024;
const MODELS = ["essence-2", "expression-2", "essence-1", "expression-1"] as const;
/** For a person's photograph; the cheapest of the second generation. */
const DEFAULT_MODEL = "essence-2";

const MODEL = z.enum(MODELS);
const GIVEN = ["prompt", "name", "voice", "image_url", "image_base64", "image_path", "agent_id"] as const;

/** The tools. `hasPaths`: whether the assistant works beside the person's files. */
export function agentTools(hasPaths: boolean): Tool[] {
  const generate = tool({
    name: "generate_agent",
    title: "Make an agent",
    description:
      "Makes a talking face from a prompt, a portrait, or both, and returns its id at once; it costs credits. Then ask get_agent_status, which can wait, until the status is ready. With the agent_id of an agent of yours, that agent is made again.",
    input: z.object({
      prompt: z.string().max(20_000).optional().describe("Who it is: becomes its system prompt"),
      name: z.string().max(60).optional(),
      voice: z.string().min(1).max(200).optional().describe("A voice of list_voices"),
      image_url: WEB_ADDRESS.optional().describe("Public address of a portrait: one face, to the camera"),
      image_base64: BASE64.optional().describe("The portrait itself, at most 4.5 MB"),
      ...(hasPaths && { image_path: PATH.optional().describe("A portrait below the folder of this server") }),
      model: MODEL.default(DEFAULT_MODEL).describe(
        "essence-2 for people, expression-2 for any face; list_models_and_prices has the prices",
      ),
      aspect_ratio: z.enum(["16:9", "9:16", "1:1"]).optional(),
      framing: z.enum(["portrait", "full_body"]).optional(),
      agent_id: AGENT_ID.optional(),
    }),
    output: z.looseObject({ agent_id: z.string(), status: z.string(), message: z.string() }),
    annotations: { ...ADDS, openWorldHint: true },
    async run(args, { client, files, signal }) {
      const {
        image_url: url,
        image_base64: base64,
        image_path: path,
        ...order
      } = args as typeof args & {
        image_path?: string;
      };
      const isEmpty = GIVEN.every((field) => !(args as Record<string, unknown>)[field]);
      if (isEmpty) {
        throw new ToolError("MISSING_PARAM", "Say what to make: a prompt, a name, or a portrait.");
      }
      if ([url, base64, path].filter(Boolean).length > 1) {
        throw new ToolError("VALIDATION_ERROR", "Name one portrait only.");
      }
      const image = path
        ? await readFile(path, files, FILE_LIMIT_BYTES)
        : base64
          ? { data: bytesOf(base64), name: "portrait" }
          : url;
      return { data: await client.agents.create({ ...order, image } as AgentOrder, { signal }) };
    },
  });
  return [generate, ...FIXED];
}

const FIXED: readonly Tool[] = [
  tool({
    name: "get_agent_status",
    title: "Get the progress of an agent",
    description: "Returns how far an agent's making is. With wait_seconds it waits for the end and reports progress.",
    input: z.object({ agent_id: AGENT_ID, wait_seconds: WAIT_SECONDS }),
    output: AGENT,
    annotations: READS,
    async run({ agent_id, wait_seconds: seconds }, context) {
      const { client, signal } = context;
      const data = await follow(
        {
          seconds,
          look: () => client.agents.status(agent_id, { signal }),
          progressOf: ({ progress, progress_msg }) => ({ progress, message: progress_msg }),
          isEnd: ({ status, progress }) =>
            status === "ready" || status === "failed" || (status === "success" && progress >= 1),
        },
        context,
      );
      return { data };
    },
  }),
  tool({
    name: "get_agent",
    title: "Get an agent",
    description: "Returns an agent: name, prompt, voice, models, knowledge and links to its pictures.",
    input: z.object({ agent_id: AGENT_ID }),
    output: AGENT,
    annotations: READS,
    run: async ({ agent_id }, { client, signal }) => ({ data: await client.agents.get(agent_id, { signal }) }),
  }),
  tool({
    name: "list_agents",
    title: "List the agents",
    description: "Lists the account's agents, newest first. Deleted ones are left out, unless status asks for them.",
    input: z.object({
      limit: limitOf(100, 20),
      offset: OFFSET,
      status: z.enum(["processing", "generating", "completed", "success", "ready", "failed", "deleted"]).optional(),
      search: z.string().max(100).optional().describe("Part of a name or code"),
    }),
    output: pageOf(
      "agents",
      z.looseObject({ agent_id: z.string(), name: z.string(), status: z.string(), model: z.string() }),
    ),
    annotations: READS,
    async run(query, { client, signal }) {
      const deleted = query.status === undefined ? "false" : undefined;
      return answerOf("agents", await client.agents.list({ ...query, deleted }, { signal }));
    },
  }),
  tool({
    name: "update_agent_prompt",
    title: "Change an agent's prompt",
    description:
      "Sets the system prompt of an agent: who it is and how it answers. Conversations that run keep theirs.",
    input: z.object({ agent_id: AGENT_ID, system_prompt: z.string().min(1).max(20_000) }),
    output: z.looseObject({ agent_code: z.string(), updated: z.boolean() }),
    annotations: SETS,
    run: async ({ agent_id, system_prompt }, { client, signal }) => ({
      data: await client.agents.update(agent_id, { system_prompt }, { signal }),
    }),
  }),
  tool({
    name: "update_agent",
    title: "Change an agent",
    description: "Sets an agent's name, greeting, voice, or the knowledge bases that it answers from.",
    input: z.object({
      agent_id: AGENT_ID,
      name: z.string().max(60).optional(),
      greeting: z.string().max(240).optional().describe("What it says first; empty for nothing"),
      voice: z.string().min(1).max(200).optional().describe("A voice of list_voices"),
      kb_ids: z
        .array(z.string().max(100))
        .max(20)
        .optional()
        .describe("Ids of list_knowledge_bases; all that it shall use"),
    }),
    output: z.looseObject({ agent_code: z.string(), updated: z.boolean() }),
    annotations: SETS,
    run: async ({ agent_id, ...changes }, { client, signal }) => ({
      data: await client.agents.update(agent_id, changes, { signal }),
    }),
  }),
  tool({
    name: "delete_agent",
    title: "Delete an agent",
    description: "Deletes an agent for good, with its files and films. Ask the person first.",
    input: z.object({ agent_id: AGENT_ID }),
    output: DELETED,
    annotations: DELETES,
    run: async ({ agent_id }, { client, signal }) => ({ data: await client.agents.delete(agent_id, { signal }) }),
  }),
  tool({
    name: "add_model",
    title: "Add a model to an agent",
    description:
      "Makes a further model for an agent; it costs credits, once. Then ask get_agent_status until it is in supported_models.",
    input: z.object({ agent_id: AGENT_ID, model: MODEL }),
    output: z.looseObject({ model: z.string(), status: z.string(), credits: z.number(), message: z.string() }),
    annotations: SETS,
    run: async ({ agent_id, model }, { client, signal }) => ({
      data: await client.models.add(agent_id, { model }, { signal }),
    }),
  }),
  tool({
    name: "get_model_link",
    title: "Get a link to an agent's file",
    description: "Returns a link to the .imx file of an agent's model, which works for one hour.",
    input: z.object({ agent_id: AGENT_ID, model: z.string().max(60).optional() }),
    output: z.looseObject({ model: z.string(), filename: z.string(), url: z.string() }),
    annotations: READS,
    run: async ({ agent_id, model }, { client, signal }) => ({
      data: await client.models.link(agent_id, { model, waitMs: 0 }, { signal }),
    }),
  }),
];
