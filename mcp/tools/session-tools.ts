// Tools for sessions: who talks with the account's agents, what was said, and the end.
import { z } from "zod";
import { READS, SETS, type Tool, tool } from "../tool.ts";
import { answerOf } from "./lists.ts";
import { AGENT_ID, limitOf, OFFSET, pageOf } from "./shapes.ts";

const SESSION_ID = z.string().min(1).max(100).describe("Id of list_sessions");

export const SESSION_TOOLS: readonly Tool[] = [
  tool({
    name: "list_sessions",
    title: "List the sessions",
    description: "Lists the sessions of the account's agents and what they cost, newest first.",
    input: z.object({
      window: z.enum(["live", "recent", "ended", "all"]).default("all"),
      agent_id: AGENT_ID.optional(),
      limit: limitOf(200, 20),
      offset: OFFSET,
    }),
    output: pageOf(
      "sessions",
      z.looseObject({
        id: z.string(),
        agent_code: z.string().nullable(),
        status: z.string(),
        minutes: z.number(),
        credits: z.number(),
        has_transcript: z.boolean(),
      }),
    ),
    annotations: READS,
    async run({ agent_id: agent_code, ...query }, { client, signal, userId }) {
      const page = await client.sessions.list(await userId(), { ...query, agent_code }, { signal });
      return answerOf("sessions", page);
    },
  }),
  tool({
    name: "get_session",
    title: "Get a session",
    description: "Returns the state of a session, its times and its credits.",
    input: z.object({ session_id: SESSION_ID }),
    output: z.looseObject({
      session_id: z.string(),
      status: z.string(),
      credits: z.number(),
      billed_seconds: z.number(),
    }),
    annotations: READS,
    run: async ({ session_id }, { client, signal }) => ({ data: await client.sessions.get(session_id, { signal }) }),
  }),
  tool({
    name: "get_transcript",
    title: "Get what was said",
    description: "Returns the transcript of a conversation, oldest first; it grows while the conversation runs.",
    input: z.object({
      session_id: SESSION_ID,
      last: z.number().int().min(1).max(1_000).default(200).describe("Most messages, counted from the end"),
    }),
    output: z.looseObject({
      session_id: z.string(),
      agent_code: z.string().nullable(),
      live: z.boolean(),
      total: z.number().int(),
      messages: z.array(z.looseObject({ timestamp: z.string(), role: z.string(), message: z.string() })),
    }),
    annotations: READS,
    async run({ session_id, last }, { client, signal, userId }) {
      const { items, body } = await client.sessions.listMessages(await userId(), session_id, { signal });
      const { messages: _, ...about } = body.data;
      return { data: { ...about, total: items.length, messages: items.slice(-last) } };
    },
  }),
  tool({
    name: "end_session",
    title: "End a session",
    description: "Ends a session: the avatar leaves its room, and nothing more is charged.",
    input: z.object({ session_id: SESSION_ID }),
    output: z.looseObject({ session_id: z.string(), status: z.string(), ended: z.boolean() }),
    annotations: SETS,
    run: async ({ session_id }, { client, signal }) => ({ data: await client.sessions.end(session_id, { signal }) }),
  }),
];
