// What `avatar sessions …` and `avatar speak` print with --json. Of the service's answers they keep what they name.
import { z } from "zod";

export const sessionShape = z.object({
  id: z.string(),
  agent_code: z.string().nullable(),
  agent_name: z.string().nullable(),
  room_name: z.string(),
  status: z.string(),
  started: z.string(),
  ended: z.string().nullable(),
  minutes: z.number(),
  credits: z.number(),
  has_transcript: z.boolean(),
});

export const sessionsListShape = z.object({ sessions: z.array(sessionShape), has_more: z.boolean() });

const messageShape = z.object({ timestamp: z.string(), role: z.string(), message: z.string() });

export const sessionsShowShape = z.object({
  session_id: z.string(),
  agent_code: z.string().nullable(),
  started: z.string(),
  ended: z.string().nullable(),
  live: z.boolean(),
  messages: z.array(messageShape).meta({ description: "Oldest first" }),
});

export const sessionsEndShape = z.object({
  session_id: z.string(),
  ended: z.boolean().meta({ description: "False if the avatar leaves within a minute: note says so" }),
  note: z.string(),
});

export const speakShape = z.object({
  agent_code: z.string(),
  delivered_to_rooms: z.number(),
  rooms: z.array(z.string()),
});
