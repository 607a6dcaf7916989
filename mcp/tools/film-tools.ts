// Tools that film an agent and make its gestures.
import { z } from "zod";
import { ADDS, DELETES, READS, type Tool, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { follow } from "./follow.ts";
import { answerOf } from "./lists.ts";
import { AGENT_ID, DELETED, limitOf, OFFSET, pageOf, WAIT_SECONDS, WEB_ADDRESS } from "./shapes.ts";

const JOB_ID = z.string().min(1).max(100).describe("Id of create_video, as vid_…");
const VIDEO = z.looseObject({
  job_id: z.string(),
  status: z.string().describe("completed and failed are ends"),
  progress: z.number().optional().describe("0 to 1"),
  video_url: z.string().optional(),
  subtitles_url: z.string().optional(),
  duration_seconds: z.number().optional(),
  credits_charged: z.number().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

const DYNAMICS = z.looseObject({
  agent_id: z.string(),
  status: z.string().describe("ready and failed are ends"),
  progress: z.number(),
  enabled: z.boolean(),
  gestures: z.record(z.string(), z.string()).describe("Link to a clip of each"),
  error_message: z.string().nullable(),
});

export const FILM_TOOLS: readonly Tool[] = [
  tool({
    name: "create_video",
    title: "Film an agent",
    description:
      "Films an agent that says a text, or a recording at an address, and returns the film's id at once; it costs credits by the minute. Then ask get_video, which can wait.",
    input: z.object({
      agent_id: AGENT_ID,
      model: z
        .enum(["essence-2", "expression-2", "essence-1", "expression-1"])
        .optional()
        .describe("One that the agent has; default: its own"),
      text: z.string().min(1).max(5_000).optional(),
      voice: z.string().min(1).max(200).optional().describe("Another voice than the agent's own, for a text"),
      audio_url: WEB_ADDRESS.optional().describe("Public address of a WAV or MP3, in place of a text"),
      resolution: z.string().max(20).optional().describe("As 1280x720"),
    }),
    output: VIDEO,
    annotations: ADDS,
    async run({ agent_id, model: wanted, text, voice, audio_url, resolution }, { client, signal }) {
      if ((text === undefined) === (audio_url === undefined)) {
        throw new ToolError("MISSING_PARAM", "Name either a text or an audio_url.");
      }
      const input = text === undefined ? { type: "audio" as const, audio_url } : { type: "text" as const, text, voice };
      const model = wanted ?? (await client.agents.get(agent_id, { signal })).model;
      return { data: await client.videos.create({ agent_code: agent_id, model, input, resolution }, { signal }) };
    },
  }),
  tool({
    name: "get_video",
    title: "Get a film",
    description:
      "Returns the state of a film, and its link once it is completed. With wait_seconds it waits for the end.",
    input: z.object({ job_id: JOB_ID, wait_seconds: WAIT_SECONDS }),
    output: VIDEO,
    annotations: READS,
    async run({ job_id, wait_seconds: seconds }, context) {
      const { client, signal } = context;
      const data = await follow(
        {
          seconds,
          look: () => client.videos.get(job_id, { signal }),
          progressOf: ({ progress, status }) => ({ progress, message: status }),
          isEnd: ({ status }) => status !== "processing",
        },
        context,
      );
      return { data };
    },
  }),
  tool({
    name: "list_videos",
    title: "List the films",
    description: "Lists the account's films, newest first.",
    input: z.object({
      limit: limitOf(100, 20),
      offset: OFFSET,
      agent_id: AGENT_ID.optional(),
      status: z.enum(["processing", "completed", "failed"]).optional(),
    }),
    output: pageOf("videos", VIDEO),
    annotations: READS,
    async run({ agent_id: agent_code, ...query }, { client, signal }) {
      return answerOf("videos", await client.videos.list({ ...query, agent_code }, { signal }));
    },
  }),
  tool({
    name: "delete_video",
    title: "Delete a film",
    description: "Deletes a film; its link stops working. One that is being made is refunded.",
    input: z.object({ job_id: JOB_ID }),
    output: DELETED,
    annotations: DELETES,
    run: async ({ job_id }, { client, signal }) => ({ data: await client.videos.delete(job_id, { signal }) }),
  }),
  tool({
    name: "get_dynamics",
    title: "Get an agent's gestures",
    description:
      "Returns an agent's gestures: their state, and a clip of each. With wait_seconds it waits for the end.",
    input: z.object({ agent_id: AGENT_ID, wait_seconds: WAIT_SECONDS }),
    output: DYNAMICS,
    annotations: READS,
    async run({ agent_id, wait_seconds: seconds }, context) {
      const { client, signal } = context;
      const data = await follow(
        {
          seconds,
          look: () => client.dynamics.get(agent_id, { signal }),
          progressOf: ({ progress, status }) => ({ progress, message: status }),
          isEnd: ({ status }) => status === "ready" || status === "failed",
        },
        context,
      );
      return { data };
    },
  }),
  tool({
    name: "generate_dynamics",
    title: "Make gestures",
    description: "Makes gestures for an agent: nods, winks and others; it costs credits. Then ask get_dynamics.",
    input: z.object({
      agent_id: AGENT_ID,
      duration: z.number().min(1).max(10).optional().describe("Seconds of each gesture"),
    }),
    output: z.looseObject({ agent_id: z.string(), status: z.string(), message: z.string() }),
    annotations: ADDS,
    run: async (body, { client, signal }) => ({ data: await client.dynamics.create(body, { signal }) }),
  }),
];
