// What `avatar doctor --json` prints.
import { z } from "zod";
import { CLIENT_CHECKS } from "./check-client.ts";

export const doctorShape = z.strictObject({
  /** Whether nothing is missing that is needed. */
  ready: z.boolean(),
  checks: z.array(
    z.strictObject({
      check: z.enum(CLIENT_CHECKS),
      state: z.enum(["ok", "missing"]),
      /** Whether this program needs it; the rest is for some commands. */
      needed: z.boolean(),
      found: z.string(),
      /** What to do, if it is missing. */
      remedy: z.string().optional(),
    }),
  ),
});
