// What `login`, `logout` and `account` print with --json.
import { z } from "zod";

export const loginShape = z.strictObject({
  logged_in: z.literal(true),
  source: z.literal("file").meta({ description: "Where the secret is kept" }),
  url: z.string().meta({ description: "Address of the service" }),
  email: z.string(),
  alias: z.string().nullable().meta({ description: "Name of the secret at the service; null for a pasted one" }),
  replaced: z.string().nullable().meta({ description: "Name of the secret that was revoked for this one" }),
  file: z.string(),
});

export const logoutShape = z.strictObject({
  logged_out: z.boolean().meta({ description: "False if no sign-in was stored" }),
  url: z.string(),
  email: z.string().nullable(),
  revoked: z.boolean().meta({ description: "False for a pasted secret, and if the service could not be asked" }),
});

/** As the service has it; what else it says about a charge is left out. */
export const chargeShape = z.object({
  created_at: z.string().meta({ description: "ISO 8601" }),
  activity_type: z.string(),
  pricing_code: z.string(),
  agent_code: z.string().nullable(),
  credits_change: z.number().meta({ description: "Consumed; below 0 for a refund" }),
});

export const accountShape = z.strictObject({
  logged_in: z.boolean(),
  source: z.enum(["environment", "file"]).nullable(),
  url: z.string().meta({ description: "Address of the service" }),
  email: z.string().nullable(),
  plan: z.string().nullable(),
  credit_balance: z.number().nullable(),
  account_status: z.string().nullable(),
  out_of_credits: z.boolean().nullable(),
  usage: z.array(chargeShape).meta({ description: "The newest charges first" }),
});
