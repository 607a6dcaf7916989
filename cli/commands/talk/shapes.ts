import { z } from "zod";

/** What `avatar talk` prints with --json when the conversation has ended. */
export const talkShape = z.strictObject({
  agent_code: z.string(),
  session_id: z.string(),
  seconds: z.number(),
  messages: z
    .array(z.strictObject({ role: z.enum(["user", "assistant"]), text: z.string() }))
    .meta({ description: "As it was said and understood" }),
});
