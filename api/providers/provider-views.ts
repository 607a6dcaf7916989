// Providers as callers see them: never with the value of a secret.
import { z } from "zod";
import type { Provider } from "./provider.ts";

const secretViewSchema = z
  .object({ present: z.boolean(), hint: z.string(), updated_at: z.iso.datetime() })
  .meta({ id: "ProviderSecret" });

export const providerListSchema = z
  .object({
    user_id: z.string(),
    providers: z.object({
      entries: z.array(
        z
          .object({
            id: z.string(),
            platform: z.string(),
            label: z.string(),
            credentials: z.object({ baseUrl: z.string() }).partial(),
            options: z.record(z.string(), z.unknown()),
            secrets: z.record(z.string(), secretViewSchema),
            metadata: z.record(z.string(), z.unknown()),
          })
          .meta({ id: "Provider" }),
      ),
    }),
  })
  .meta({ id: "ProviderList" });

export function viewProviders(userId: string, providers: readonly Provider[]): z.infer<typeof providerListSchema> {
  const entries = providers.map(({ id, platform, label, baseUrl, options, secrets, metadata }) => ({
    id,
    platform,
    label,
    credentials: baseUrl === null ? {} : { baseUrl },
    options,
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, { hint, updatedAt }]) => [
        name,
        { present: true, hint, updated_at: updatedAt.toISOString() },
      ]),
    ),
    metadata,
  }));
  return { user_id: userId, providers: { entries } };
}
