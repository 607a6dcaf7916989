// Tools for live rooms: what an agent says there, and who may watch.
import { z } from "zod";
import { ADDS, READS, type Tool, tool } from "../tool.ts";
import { AGENT_ID } from "./shapes.ts";

const ROOM_ID = z.string().min(1).max(256).optional().describe("One room of list_agent_rooms; default: all");
const RECEIPT = z.looseObject({
  delivered_to_rooms: z.number().int(),
  rooms: z.array(z.string()),
  rooms_skipped: z.array(z.string()),
  rooms_failed: z.array(z.string()),
});

export const SPEAKING_TOOLS: readonly Tool[] = [
  tool({
    name: "agent_speak",
    title: "Make an agent speak",
    description:
      "Makes an agent say a text in its live rooms, now. Without a live room it fails: open the address of create_embed_token first, or make a film.",
    input: z.object({ agent_id: AGENT_ID, message: z.string().min(1).max(5_000), room_id: ROOM_ID }),
    output: RECEIPT,
    annotations: ADDS,
    run: async ({ agent_id, ...body }, { client, signal }) => ({
      data: await client.agents.speak(agent_id, body, { signal }),
    }),
  }),
  tool({
    name: "add_agent_context",
    title: "Tell an agent something silently",
    description:
      "Gives the conversations of an agent's live rooms a fact that it uses in later answers, without saying it.",
    input: z.object({ agent_id: AGENT_ID, context: z.string().min(1).max(20_000), room_id: ROOM_ID }),
    output: RECEIPT,
    annotations: ADDS,
    run: async ({ agent_id, ...body }, { client, signal }) => ({
      data: await client.agents.addContext(agent_id, { ...body, type: "add_context" }, { signal }),
    }),
  }),
  tool({
    name: "list_agent_rooms",
    title: "List an agent's live rooms",
    description: "Lists the rooms in which an agent is now.",
    input: z.object({ agent_id: AGENT_ID }),
    output: z.looseObject({
      rooms: z.array(z.looseObject({ room_id: z.string(), session_id: z.string(), deliverable: z.boolean() })),
    }),
    annotations: READS,
    async run({ agent_id }, { client, signal }) {
      const { items } = await client.agents.listRooms(agent_id, { signal });
      return { data: { rooms: items } };
    },
  }),
  tool({
    name: "create_embed_token",
    title: "Let someone talk with an agent",
    description:
      "Makes a token of one hour for the embed page of an agent, where a visitor talks with it: open <service>/embed/<agent_id>?token=<token>. The token opens that agent only. create_embed_link makes an address that lasts longer.",
    input: z.object({
      agent_id: AGENT_ID,
      fingerprint: z.string().min(1).max(200).optional().describe("Your own id of the one visitor; default: for any"),
      model: z.string().max(60).optional(),
    }),
    output: z.looseObject({ token: z.string(), sid: z.string(), supported_models: z.array(z.string()) }),
    annotations: ADDS,
    async run(body, { client, signal }) {
      const order = { ...body, shared: body.fingerprint === undefined };
      return { data: await client.embedTokens.create(order, { signal }) };
    },
  }),
  tool({
    name: "create_embed_link",
    title: "Make a short link to an agent",
    description:
      "Makes a short address at which anyone can talk with an agent until it expires. You pay for their sessions.",
    input: z.object({
      agent_id: AGENT_ID,
      expires_in: z.number().int().min(60).max(7_776_000).optional().describe("Seconds; default 7 days"),
    }),
    output: z.looseObject({ code: z.string(), url: z.string(), expires_at: z.string() }),
    annotations: ADDS,
    run: async (body, { client, signal }) => ({ data: await client.embedLinks.create(body, { signal }) }),
  }),
];
