// Routes of an agent's live rooms: make the avatar speak, add context, list the rooms.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { requireOwnAgent } from "../../agents/agent-access.ts";
import { emotionField } from "../../agents/emotion-field.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { countParticipants } from "../life/count-participants.ts";
import { listRunningOfAgent } from "../record/session-queries.ts";
import type { SessionServices } from "../session-services.ts";
import { deliverToRooms, type RoomMessage } from "./deliver-to-rooms.ts";

const MAX_MESSAGE_CHARACTERS = 5_000;
const MAX_CONTEXT_CHARACTERS = 20_000;

const agentParams = z.object({ code: z.string() });
const roomId = z.string().max(256).nullish();
const emotion = emotionField.nullish().meta({
  description:
    "What the face shows while it speaks the text: an expression, or one with an intensity, such as happy:0.6. Tags in the text, such as [sad:0.4], change it from their word on, and are not spoken",
});
const receiptSchema = z
  .object({
    agent_code: z.string(),
    context_type: z.enum(["speak", "add_context"]),
    delivered_to_rooms: z.int(),
    rooms: z.array(z.string()),
    rooms_skipped: z.array(z.string()),
    rooms_failed: z.array(z.string()),
    rooms_skipped_no_worker: z.int(),
  })
  .meta({ id: "DeliveryReceipt" });

/** A room in which the agent's avatar is. */
const roomSchema = z
  .object({
    room_id: z.string(),
    session_id: z.string(),
    num_participants: z.int(),
    created_at: z.int(),
    deliverable: z.boolean(),
    matched_by: z.string(),
  })
  .meta({ id: "AgentRoom" });

export function roomRoutes(services: SessionServices): Route[] {
  const { database, livekit } = services;
  const tags = ["Avatar sessions"];

  async function deliverTo(
    agent: { userId: string; code: string },
    message: Exclude<RoomMessage, { kind: "type_text" }>,
  ): Promise<z.input<typeof receiptSchema>> {
    const receipt = await deliverToRooms(services, agent, message);
    return {
      agent_code: agent.code,
      context_type: message.kind,
      delivered_to_rooms: receipt.delivered.length,
      rooms: receipt.delivered,
      rooms_skipped: receipt.skipped,
      rooms_failed: receipt.failed,
      rooms_skipped_no_worker: receipt.skipped.length,
    };
  }

  return [
    route({
      method: "post",
      path: "/v1/agent/:code/speak",
      operation: "agents.speak",
      tier: "write",
      auth: "secret",
      summary: "Make an agent speak a text in its live rooms",
      tags,
      params: agentParams,
      body: z.object({ message: z.string().trim().min(1).max(MAX_MESSAGE_CHARACTERS), room_id: roomId, emotion }),
      example: { body: { message: "Welcome. Shall we begin with the whales?", emotion: "happy:0.6" } },
      response: receiptSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, body, caller }) {
        const agent = await requireOwnAgent(database, caller.account, params.code);
        const { message, emotion } = body;
        return deliverTo(agent, { kind: "speak", message, emotion: emotion ?? null, roomName: body.room_id || null });
      },
    }),
    route({
      method: "post",
      path: "/v1/agent/:code/add-context",
      operation: "agents.addContext",
      tier: "write",
      auth: "secret",
      summary: "Add silent context to an agent's live rooms, or make it speak there",
      description:
        "Silent context reaches avatars that hold a conversation: those of embed pages and widgets. An avatar in a caller's own room speaks what the caller's agent says and keeps no context, so its room is in rooms_skipped, although it is deliverable to speak. If no other room is reached, the answer is 404.",
      tags,
      params: agentParams,
      body: z.object({
        context: z.string().trim().min(1).max(MAX_CONTEXT_CHARACTERS),
        // Any JSON value: an invalid one is answered with 422, as the contract says.
        type: z.unknown().optional().meta({
          description: "add_context (default) adds silent context; speak makes the avatar speak",
          type: "string",
        }),
        room_id: roomId,
        emotion,
      }),
      example: { body: { context: "The visitor stands in front of the blue whale.", type: "append_silent" } },
      response: receiptSchema,
      errors: ["NOT_FOUND", "UNPROCESSABLE"],
      async handler({ params, body, caller }) {
        const type = body.type ?? "add_context";
        const roomName = body.room_id || null;
        if (type !== "add_context" && type !== "speak") {
          throw new ServiceError("UNPROCESSABLE", "type must be add_context or speak");
        }
        if (type === "speak" && body.context.length > MAX_MESSAGE_CHARACTERS) {
          throw new ServiceError(
            "VALIDATION_ERROR",
            `context must have at most ${MAX_MESSAGE_CHARACTERS} characters when type is speak`,
          );
        }
        const agent = await requireOwnAgent(database, caller.account, params.code);
        const { context, emotion = null } = body;
        if (type === "speak") return deliverTo(agent, { kind: "speak", message: context, emotion, roomName });
        return deliverTo(agent, { kind: "add_context", context, roomName });
      },
    }),
    route({
      method: "get",
      path: "/v1/agent/:code/sessions",
      operation: "agents.listRooms",
      tier: "write",
      auth: "secret",
      summary: "List an agent's live rooms",
      tags,
      params: agentParams,
      response: z.object({
        agent_code: z.string(),
        sessions: z.array(roomSchema),
      }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const agent = await requireOwnAgent(database, caller.account, params.code);
        const sessions = await listRunningOfAgent(database, caller.account.userId, agent.code);
        return {
          agent_code: agent.code,
          sessions: await Promise.all(
            sessions.map(async (session) => ({
              room_id: session.roomName,
              session_id: session.id,
              num_participants: await countParticipants(livekit, session),
              created_at: Math.floor((session.roomCreatedAt ?? session.createdAt).getTime() / 1000),
              deliverable: session.status === "live",
              matched_by: "ledger",
            })),
          ),
        };
      },
    }),
  ];
}
