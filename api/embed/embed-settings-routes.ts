// Routes of an account's embed settings: which sites may show its embed pages in a frame.
import { z } from "zod";
import { assertOwnAccount, ownAccountParams } from "../accounts/own-account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findFrameAncestors, setFrameAncestors } from "./embed-settings.ts";

const PATH = "/v2/:user_id/embed-settings";
const TAGS = ["Embed"];
const MAX_SITES = 50;
/** A CSP host source with its scheme. Anything else could end the directive and begin another. */
const SITE = /^https?:\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:(\d{1,5}|\*))?$/i;

const settingsSchema = z
  .object({
    frame_ancestors: z
      .array(z.string().max(300).regex(SITE, "must be a site like https://shop.example or https://*.shop.example:8443"))
      .min(1)
      .max(MAX_SITES)
      .nullable()
      .meta({ description: "Sites that may show the account's embed pages in a frame; null allows every site" }),
  })
  .meta({ id: "EmbedSettings" });
const responseSchema = z.object({ success: z.literal(true), data: settingsSchema });

export function embedSettingsRoutes({ database, now }: Kernel): Route[] {
  return [
    route({
      method: "get",
      path: PATH,
      operation: "embedSettings.get",
      tier: "read",
      auth: "secret",
      summary: "Get the sites that may show the account's embed pages in a frame",
      tags: TAGS,
      params: ownAccountParams,
      response: responseSchema,
      errors: ["FORBIDDEN"],
      async handler({ params, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const frameAncestors = await findFrameAncestors(database, caller.account.userId);
        return { success: true as const, data: { frame_ancestors: frameAncestors && [...frameAncestors] } };
      },
    }),
    route({
      method: "put",
      path: PATH,
      operation: "embedSettings.replace",
      tier: "write",
      auth: "secret",
      summary: "Set the sites that may show the account's embed pages in a frame",
      tags: TAGS,
      params: ownAccountParams,
      body: settingsSchema,
      example: { body: { frame_ancestors: ["https://shop.example"] } },
      response: responseSchema,
      errors: ["FORBIDDEN"],
      async handler({ params, body, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        await setFrameAncestors(database, caller.account.userId, body.frame_ancestors, new Date(now()));
        return { success: true as const, data: body };
      },
    }),
  ];
}
