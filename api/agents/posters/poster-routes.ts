// The still of an avatar at rest: GET /posters/… by a signed link, and GET /share/…/poster of an agent that is shared
// with the public.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { Answer, redirectTo } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { artifactFor } from "../record/agent.ts";
import { findAgentByCode } from "../record/agent-store.ts";
import { findPublicAgent } from "../sharing/sharing-store.ts";
import type { PosterLinks } from "./poster-links.ts";
import { readPoster } from "./read-poster.ts";

/** Pages of other origins show it. */
const POSTER_HEADERS = Object.freeze({
  "Content-Type": "image/jpeg",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
});
/** Of an answer that never changes. */
const FOR_EVER = "public, max-age=31536000, immutable";
/** Of one that changes with the agent: a widget's picture on every page of a site. */
const FOR_MINUTES = "public, max-age=300, stale-while-revalidate=86400";

export function posterRoutes({
  posters,
  storage,
  database,
}: Pick<Kernel, "storage" | "database"> & { posters: PosterLinks }): Route[] {
  return [
    route({
      method: "get",
      path: "/posters/:file",
      operation: "posters.get",
      tier: "none",
      auth: "none",
      summary: "The still of an avatar at rest, by its signed link",
      tags: ["Files"],
      internal: true,
      params: z.object({ file: z.string().max(200) }),
      query: z.object({ signature: z.string().max(100).default("") }),
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ params, query }): Promise<Answer<undefined>> {
        const key = posters.keyOf(params.file, query.signature);
        if (key === null) throw new ServiceError("FORBIDDEN", "The link is not valid");
        const poster = await readPoster(storage, key);
        if (poster === null) throw new ServiceError("NOT_FOUND", "There is no such poster any more");
        return new Answer({ bytes: poster, headers: { ...POSTER_HEADERS, "Cache-Control": FOR_EVER } });
      },
    }),
    // The same for an agent that is not shared and for one that does not exist.
    route({
      method: "get",
      path: "/share/:agent_id/poster",
      operation: "posters.ofPublicAgent",
      tier: "none",
      auth: "none",
      summary: "The still of a public agent at rest, for its page and its widgets",
      tags: ["Embed"],
      internal: true,
      params: z.object({ agent_id: z.string().max(100) }),
      errors: ["NOT_FOUND"],
      async handler({ params, request }): Promise<Answer<undefined>> {
        const isPublic = (await findPublicAgent(database, params.agent_id)) !== null;
        const agent = isPublic ? await findAgentByCode(database, params.agent_id) : null;
        const artifact = agent && artifactFor(agent, agent.model);
        const portrait = agent && !artifact ? posters.linkTo(agent) : null;
        // Without an origin: a page that was opened by another name of this service may show its own origin's alone.
        if (portrait !== null) return redirectTo(portrait.slice(new URL(portrait).origin.length));
        const headers = { "Cache-Control": FOR_MINUTES, ETag: `"${artifact?.sha256}"` };
        if (artifact?.sha256 && request.headers["if-none-match"] === headers.ETag)
          return new Answer({ status: 304, headers });
        const poster = artifact && (await readPoster(storage, artifact.key));
        if (!poster) throw new ServiceError("NOT_FOUND", "There is no public agent with a picture here");
        return new Answer({ bytes: poster, headers: { ...POSTER_HEADERS, ...headers } });
      },
    }),
  ];
}
