// GET /embed/agent: whom the visitor of an embed token will meet. It needs no session, so that the page shows name and
// poster before one begins, after it has ended, and while the service is busy.
import { z } from "zod";
import { GESTURE_NAMES } from "../../shared/gesture-names.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import type { PosterLinks } from "../agents/posters/poster-links.ts";
import { ASPECT_RATIOS } from "../agents/record/agent.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { Kernel } from "../kernel/kernel.ts";

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
      response: z.object({
        name: z.string(),
        /** Still of the avatar at rest, of its aspect ratio; null while it has no model. */
        poster_url: z.string().nullable(),
        disclosure: z.boolean(),
        aspect_ratio: z.enum(ASPECT_RATIOS),
        /** Names for the `trigger_dynamics` of its room. */
        gestures: z.array(z.string()),
      }),
      errors: ["NOT_FOUND"],
      async handler({ caller }) {
        const agent = await requireOwnAgent(database, caller.account, caller.agentCode);
        return {
          name: agent.name,
          poster_url: posters.linkTo(agent),
          disclosure: config.pages.hasDisclosure,
          aspect_ratio: agent.aspectRatio,
          gestures: [...GESTURE_NAMES],
        };
      },
    }),
  ];
}
