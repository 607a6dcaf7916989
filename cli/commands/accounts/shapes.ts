// What `avatar accounts …` prints with --json.
import { z } from "zod";

const userId = z.string();
const summary = z.strictObject({
  user_id: userId,
  email: z.string(),
  plan: z.string(),
  plan_renews_at: z.string().nullable(),
  account_status: z.string(),
  balance: z.int(),
  plan_credits: z.int(),
  reward_credits: z.int(),
  topup_credits: z.int(),
  is_runtime_suspended: z.boolean(),
  created_at: z.string(),
});
const added = z.strictObject({
  user_id: userId,
  added: z.int().meta({ description: "0 if this reference was applied before" }),
  pool: z.string(),
  balance: z.int(),
});
const status = z.strictObject({ user_id: userId, account_status: z.enum(["active", "suspended"]) });

/** By subcommand. */
export const accountsShapes = {
  create: z.strictObject({ user_id: userId, secret: z.string() }),
  list: z.strictObject({ accounts: z.array(summary) }),
  show: summary.extend({
    secrets: z.array(z.strictObject({ alias: z.string(), last_four: z.string(), created_at: z.string() })),
  }),
  link: z.strictObject({ user_id: userId, url: z.string(), expires_at: z.string() }),
  topup: added,
  grant: added,
  "set-plan": z.strictObject({ user_id: userId, plan: z.string(), balance: z.int() }),
  suspend: status,
  resume: status,
  "add-secret": z.strictObject({
    user_id: userId,
    alias: z.string(),
    secret: z.string(),
    runtime_resumed: z.boolean(),
  }),
  "revoke-secret": z.strictObject({ user_id: userId, alias: z.string() }),
} as const;
