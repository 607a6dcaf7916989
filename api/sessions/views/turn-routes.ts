// GET /v2/{user_id}/runtime-sessions/{id}/turns: how a conversation that goes on answers, and what its language model
// is told. Only its owner sees it. It is kept nowhere but in the memory of the session's process.
import { z } from "zod";
import { isServiceError, ServiceError } from "../../../shared/errors.ts";
import { rpcReplySchema, turnRecordSchema } from "../../../shared/runtime-api.ts";
import { RPC_TURNS } from "../../../shared/wire-names.ts";
import { assertOwnAccount, ownAccountParams } from "../../accounts/own-account.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { requireOwnSession } from "../record/session-access.ts";
import type { SessionServices } from "../session-services.ts";
import { whenReached } from "../workers/when-reached.ts";

/** Questions about one session. */
const QUESTIONS_PER_MINUTE = 120;
const RPC_TIMEOUT_MS = 4_000;
/** A worker that comes back after a crash gets this long, ms. */
const ARRIVAL_LIMIT_MS = 1_000;

export function turnRoutes({ database, livekit, limiter, logger }: SessionServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v2/:user_id/runtime-sessions/:session_id/turns",
      operation: "sessions.listTurns",
      tier: "read",
      auth: "secret",
      summary: "Get the last turns of a live conversation: their latencies, and what the language model was told",
      description:
        "At most the last 20 turns, oldest first, as many as one answer of 14 kB holds; ask again with the last number. They are in the memory of the session's process alone: a session that has ended has none, and a process that takes over counts from 1 again. Sessions on the caller's own hardware have none here.",
      tags: ["Avatar sessions"],
      params: ownAccountParams.extend({ session_id: z.string() }),
      query: z.object({
        after: z.coerce.number().int().min(0).default(0).meta({ description: "Only turns after this number" }),
      }),
      response: z.object({
        success: z.literal(true),
        data: z.object({ turns: z.array(turnRecordSchema.meta({ id: "ConversationTurn" })) }),
      }),
      errors: ["FORBIDDEN", "NOT_FOUND", "CONFLICT", "SERVICE_UNAVAILABLE"],
      async handler({ params, query, caller }) {
        assertOwnAccount(caller.account, params.user_id);
        const session = await requireOwnSession(database, caller.account.userId, params.session_id);
        if (session.isSelfHosted)
          throw new ServiceError("CONFLICT", "A session on your own hardware tells no turns here");
        if (session.status !== "live")
          throw new ServiceError("CONFLICT", `Only a live session tells its turns; this one is ${session.status}`);
        const { isAllowed, retryAfterSeconds } = await limiter.take(`turns:${session.id}`, QUESTIONS_PER_MINUTE);
        if (!isAllowed) {
          const message = `A session tells its turns at most ${QUESTIONS_PER_MINUTE} times a minute`;
          throw new ServiceError("RATE_LIMITED", message, { retryAfterSeconds });
        }
        try {
          const payload = JSON.stringify({ after: query.after });
          const call = () => livekit.callWorker(session.id, RPC_TURNS, payload, RPC_TIMEOUT_MS);
          const answer: unknown = JSON.parse(await whenReached(ARRIVAL_LIMIT_MS, call));
          const { turns, error } = rpcReplySchema.parse(answer);
          if (turns === undefined) throw new ServiceError("SERVICE_UNAVAILABLE", error ?? "The avatar told no turns");
          return { success: true as const, data: { turns } };
        } catch (cause) {
          if (isServiceError(cause) && cause.code === "SERVICE_UNAVAILABLE") throw cause;
          logger.warn({ err: cause, avatarSessionId: session.id }, "avatar told no turns");
          throw new ServiceError("SERVICE_UNAVAILABLE", "The avatar told no turns", { cause });
        }
      },
    }),
  ];
}
