// API secrets as answers list them: without their values.
import { z } from "zod";
import type { SecretSummary } from "./secret-store.ts";

const MASK = "*".repeat(12);

export const secretSummarySchema = z
  .object({
    alias: z.string(),
    name: z.string().meta({ description: "Same as alias" }),
    key: z.string().meta({ description: "Same as alias" }),
    key_display: z.string().meta({ description: "The value with all but its last four characters masked" }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When a request last carried it, to the minute; null if none has" }),
  })
  .meta({ id: "ApiSecret" });

export function viewSecret(secret: SecretSummary): z.infer<typeof secretSummarySchema> {
  const { alias, lastFour, createdAt, lastUsedAt } = secret;
  return {
    alias,
    name: alias,
    key: alias,
    key_display: MASK + lastFour,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
