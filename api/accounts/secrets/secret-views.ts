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
  })
  .meta({ id: "ApiSecret" });

export function viewSecret({ alias, lastFour, createdAt }: SecretSummary): z.infer<typeof secretSummarySchema> {
  return { alias, name: alias, key: alias, key_display: MASK + lastFour, created_at: createdAt.toISOString() };
}
