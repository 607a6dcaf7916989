// GET /v1/runtime-sessions/{id}/still: what a session's face looks like now, for its owner.
import { z } from "zod";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { rpcReplySchema } from "../../../shared/runtime-api.ts";
import { RPC_STILL } from "../../../shared/wire-names.ts";
import { Answer } from "../../kernel/http/answer.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { requireOwnSession } from "../record/session-access.ts";
import type { SessionServices } from "../session-services.ts";
import { whenReached } from "../workers/when-reached.ts";

/** Of one session. */
const STILLS_PER_MINUTE = 60;
const RPC_TIMEOUT_MS = 4_000;
/** A worker that comes back after a crash gets this long, ms. */
const ARRIVAL_LIMIT_MS = 1_000;

export function stillRoutes({ database, livekit, limiter, logger }: SessionServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/runtime-sessions/:session_id/still",
      operation: "sessions.still",
      tier: "read",
      auth: "secret",
      summary: "Get a still of an avatar session's face, as it is now",
      description:
        "A JPEG of at most 320 px and 11 kB, at most a second old. The session renders one frame for it, also while its video is not taken, and its room sees nothing of it. Sessions on the caller's own hardware have none.",
      tags: ["Avatar sessions"],
      params: z.object({ session_id: z.string() }),
      responseType: "image/jpeg",
      errors: ["NOT_FOUND", "CONFLICT", "SERVICE_UNAVAILABLE"],
      async handler({ params, caller }): Promise<Answer<undefined>> {
        const session = await requireOwnSession(database, caller.account.userId, params.session_id);
        if (session.isSelfHosted)
          throw new ServiceError("CONFLICT", "A session on your own hardware has no stills here");
        if (session.status !== "live")
          throw new ServiceError("CONFLICT", `Only a live session has stills; this one is ${session.status}`);
        const { isAllowed, retryAfterSeconds } = await limiter.take(`still:${session.id}`, STILLS_PER_MINUTE);
        if (!isAllowed) {
          throw new ServiceError("RATE_LIMITED", `A session has at most ${STILLS_PER_MINUTE} stills a minute`, {
            retryAfterSeconds,
          });
        }
        try {
          const call = () => livekit.callWorker(session.id, RPC_STILL, "{}", RPC_TIMEOUT_MS);
          const answer: unknown = JSON.parse(await whenReached(ARRIVAL_LIMIT_MS, call));
          const { jpeg, error } = rpcReplySchema.parse(answer);
          if (jpeg === undefined) throw new ServiceError("SERVICE_UNAVAILABLE", error ?? "The avatar gave no still");
          const headers = { "Content-Type": "image/jpeg", "Cache-Control": "no-store" };
          return new Answer({ bytes: Buffer.from(jpeg, "base64"), headers });
        } catch (cause) {
          if (isServiceError(cause) && cause.code === "SERVICE_UNAVAILABLE") throw cause;
          logger.warn({ err: cause, avatarSessionId: session.id }, "avatar gave no still");
          throw new ServiceError("SERVICE_UNAVAILABLE", "The avatar gave no still", { cause });
        }
      },
    }),
  ];
}
