// GET /embed/agent: whom the visitor of an embed token will meet. It needs no session, so that the page shows name and
// poster before one begins, after it has ended, and while the service is busy.
import { z } from "zod";
import { GESTURE_NAMES } from "../../shared/gesture-names.ts";
import { resolveModel } from "../../shared/models.ts";
import type { EmbedCaller } from "../accounts/caller.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import type { PosterLinks } from "../agents/posters/poster-links.ts";
import { type Agent, ASPECT_RATIOS } from "../agents/record/agent.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { bundleSchema, describeBundle } from "./bundle-routes.ts";
import { bundleFor, isLocalAllowed, RENDER_CHOICES } from "./local-rendering.ts";

export interface EmbedAgentServices extends Pick<Kernel, "database" | "config"> {
  posters: PosterLinks;
}

export function embedAgentRoutes({ database, config, posters }: EmbedAgentServices): Route[] {
  return [
    route({
      method: "get",
      path: "/embed/agent",
      operation: "embed.agent",
      tier: "address",
      auth: "embed",
      summary: "Name and looks of the avatar of an embed token",
      tags: ["Embed"],
      internal: true,
      cors: true,
      query: z.object({ render: z.enum(RENDER_CHOICES).catch("stream"), model: z.string().max(60).nullish() }),
      response: z.object({
        name: z.string(),
        /** Still of the avatar at rest, of its aspect ratio; null while it has no model. */
        poster_url: z.string().nullable(),
        disclosure: z.boolean(),
        aspect_ratio: z.enum(ASPECT_RATIOS),
        /** Names for the `trigger_dynamics` of its room. */
        gestures: z.array(z.string()),
        /** The file for a page that asks to render, and most likely may: it loads it while its session begins. The
         *  session's answer decides. Else null. */
        bundle: bundleSchema.nullable(),
      }),
      errors: ["NOT_FOUND"],
      async handler({ caller, query: { render, model } }) {
        const agent = await requireOwnAgent(database, caller.account, caller.agentCode);
        return {
          name: agent.name,
          poster_url: posters.linkTo(agent),
          disclosure: config.pages.hasDisclosure,
          aspect_ratio: agent.aspectRatio,
          gestures: [...GESTURE_NAMES],
          bundle: render === "stream" ? null : likelyBundle(agent, caller, model),
        };
      },
    }),
  ];

  function likelyBundle(agent: Agent, caller: EmbedCaller, pageModel: string | null | undefined) {
    if (!isLocalAllowed(agent, caller.endUserId !== null)) return null;
    const name = caller.model ?? pageModel;
    const chosen = name ? resolveModel(name) : { family: agent.model, name: agent.model };
    const bundle = chosen && bundleFor(agent, chosen);
    return bundle && describeBundle(bundle, config.http.publicUrl);
  }
}
