// Routes of an account's providers.
import { z } from "zod";
import { assertOwnAccount, ownAccountParams } from "../accounts/own-account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { MAX_PROVIDERS, providerEntrySchema } from "./provider-entry.ts";
import type { ProviderServices } from "./provider-services.ts";
import { listProviders } from "./provider-store.ts";
import { providerListSchema, viewProviders } from "./provider-views.ts";
import { replaceProviders } from "./replace-providers.ts";

const PATH = "/v2/:user_id/providers";
const TAGS = ["Providers"];

export function providerRoutes(services: ProviderServices): Route[] {
  return [
    route({
      method: "get",
      path: PATH,
      operation: "providers.list",
      tier: "read",
      auth: "secret",
      summary: "List the account's own model, recognition and voice servers, without their secrets",
      tags: TAGS,
      params: ownAccountParams,
      response: providerListSchema,
      errors: ["FORBIDDEN"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { userId } = caller.account;
        return viewProviders(userId, await listProviders(services.database, userId));
      },
    }),
    route({
      method: "put",
      path: PATH,
      operation: "providers.replace",
      tier: "write",
      auth: "secret",
      personalSecretOnly: true,
      summary: "Replace the list of the account's own servers; entries with a known id keep what is not sent",
      tags: TAGS,
      params: ownAccountParams,
      body: z.object({ entries: z.array(providerEntrySchema).max(MAX_PROVIDERS) }),
      example: {
        body: {
          entries: [
            {
              platform: "openai",
              label: "Our language model",
              credentials: { base_url: "https://models.example/v1", api_key: "KEY" },
            },
          ],
        },
      },
      response: providerListSchema,
      errors: ["FORBIDDEN", "MISSING_PARAM"],
      async handler({ params, body, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const { userId } = caller.account;
        return viewProviders(userId, await replaceProviders(services, userId, body.entries));
      },
    }),
  ];
}
