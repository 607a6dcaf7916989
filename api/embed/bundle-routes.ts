// GET /embed/bundle: the file of the avatar of an embed token, for pages that render it themselves.
import type { Readable } from "node:stream";
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { sha256Schema } from "../../shared/runtime-api.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import { Answer } from "../kernel/http/answer.ts";
import { type Route, route } from "../kernel/http/route.ts";
import type { SessionServices } from "../sessions/session-services.ts";
import { type Bundle, findBundle, isLocalAllowed } from "./local-rendering.ts";
import { limitBundle } from "./visitor-limits.ts";

const PATH = "/embed/bundle";

/** A file as pages of embed tokens are told of it. */
export const bundleSchema = z.object({ url: z.string(), sha256: z.string(), bytes: z.int() });

export function describeBundle({ sha256, bytes }: Bundle, publicUrl: string): z.output<typeof bundleSchema> {
  return { url: `${publicUrl}${PATH}?sha256=${sha256}`, sha256, bytes };
}

export function bundleRoutes(services: SessionServices): Route[] {
  const { database, storage, limiter, offeredModels } = services;

  return [
    route({
      method: "get",
      path: PATH,
      operation: "embed.bundle",
      tier: "address",
      auth: "embed",
      summary: "The file of the avatar of an embed token, for pages that render it",
      tags: ["Embed"],
      internal: true,
      cors: true,
      query: z.object({ sha256: sha256Schema }),
      responseType: "application/octet-stream",
      errors: ["NOT_FOUND", "FORBIDDEN"],
      async handler({ query: { sha256 }, caller, request }): Promise<Answer<undefined>> {
        await limitBundle(limiter, { caller, ip: request.ip });
        const agent = await requireOwnAgent(database, caller.account, caller.agentCode);
        if (!isLocalAllowed(agent, caller.endUserId !== null)) throw notAllowed(agent.localRendering === "forbidden");
        const bundle = findBundle(agent, caller, { sha256, offered: offeredModels });
        const sizeBytes = bundle && (await storage.sizeOf(bundle.key));
        if (bundle === null || sizeBytes === null) {
          throw new ServiceError(
            "NOT_FOUND",
            "The agent has no such file now. Start the session again to get its file.",
          );
        }
        // The address names the content, so a copy stays true. It is the visitor's alone: no shared cache keeps it.
        const headers = { ETag: `"${sha256}"`, "Cache-Control": "private, max-age=31536000, immutable" };
        if (request.headers["if-none-match"] === headers.ETag) return new Answer({ status: 304, headers });
        return new Answer({
          headers: { ...headers, "Content-Type": "application/octet-stream", "Content-Length": String(sizeBytes) },
          stream: (await storage.read(bundle.key)) as Readable,
        });
      },
    }),
  ];
}

function notAllowed(isForbidden: boolean): ServiceError {
  return new ServiceError(
    "FORBIDDEN",
    isForbidden
      ? "The owner of this agent does not let browsers render it: its file never leaves the service. Show the stream."
      : "This token is shared, and the agent's owner lets only visitors whom a token names render it. Show the stream.",
  );
}
