// GET /posters/…: the still of an avatar at rest, by a signed link.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";
import type { PosterLinks } from "./poster-links.ts";
import { readPoster } from "./read-poster.ts";

/** Of an answer that never changes. Pages of other origins show it. */
const POSTER_HEADERS = Object.freeze({
  "Content-Type": "image/jpeg",
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Cache-Control": "public, max-age=31536000, immutable",
});

export function posterRoutes({ posters, storage }: { posters: PosterLinks; storage: ObjectStorage }): Route[] {
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
        return new Answer({ bytes: poster, headers: POSTER_HEADERS });
      },
    }),
  ];
}
