// Routes of one avatar session: get it, end it.
import { z } from "zod";
import { type Route, route } from "../../kernel/http/route.ts";
import type { AvatarSessions } from "../life/avatar-sessions.ts";
import { requireOwnSession } from "../record/session-access.ts";
import type { SessionServices } from "../session-services.ts";
import { endOutcome } from "./end-outcome.ts";
import { sessionViewSchema, toSessionView } from "./session-view.ts";

const sessionParams = z.object({ session_id: z.string() });

export function avatarSessionRoutes({ database, now }: SessionServices, avatarSessions: AvatarSessions): Route[] {
  const tags = ["Avatar sessions"];

  return [
    route({
      method: "get",
      path: "/v1/runtime-sessions/:session_id",
      operation: "sessions.get",
      tier: "read",
      auth: "secret",
      summary: "Get an avatar session",
      tags,
      params: sessionParams,
      response: sessionViewSchema,
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        return toSessionView(await requireOwnSession(database, caller.account.userId, params.session_id));
      },
    }),
    route({
      method: "post",
      path: "/v1/runtime-sessions/:session_id/end",
      operation: "sessions.end",
      tier: "generate",
      auth: "secret",
      openToSuspended: true,
      summary: "End an avatar session and free its slot at once; repeatable",
      tags,
      params: sessionParams,
      response: sessionViewSchema.extend({ ended: z.boolean(), slot_released: z.boolean(), note: z.string() }),
      errors: ["NOT_FOUND"],
      async handler({ params, caller }) {
        const { id } = await requireOwnSession(database, caller.account.userId, params.session_id);
        const session = await avatarSessions.end(id, "ended_by_api");
        const { hasLeft, note } = endOutcome(session, now());
        return { ...toSessionView(session), ended: hasLeft, slot_released: true, note };
      },
    }),
  ];
}
