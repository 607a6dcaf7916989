// What `avatar run --json` prints when its page can be opened.
import { z } from "zod";

export const runShape = z.strictObject({
  event: z.literal("session_started"),
  /** To open in a browser. */
  url: z.url(),
  /** Of the agent that the service shows; null for a face that the browser renders. */
  code: z.string().nullable(),
  host: z.string(),
  port: z.int(),
  /** Credits per minute of the session. */
  cost_per_min: z.number(),
  /** Of the account; null where no service is called. */
  credit_balance: z.number().nullable(),
});
