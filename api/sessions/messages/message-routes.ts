// POST /v1/runtime/sessions/{id}/messages: the worker of a conversation reports what was said.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { messageReportSchema } from "../../../shared/runtime-api.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import { requireWorkerSession, superseded } from "../runtime/runtime-access.ts";
import type { SessionServices } from "../session-services.ts";
import { keepMessages } from "./keep-messages.ts";

/** Room for the longest report, escaped. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export function messageRoutes(services: SessionServices): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/runtime/sessions/:id/messages",
      operation: "workers.reportMessages",
      tier: "none",
      auth: "runtime-session",
      openToSuspended: true,
      summary: "Report messages of a conversation; a repeated seq is harmless",
      tags: ["Runtime"],
      params: z.object({ id: z.string() }),
      body: messageReportSchema,
      bodyLimitBytes: MAX_BODY_BYTES,
      response: z.object({ ok: z.literal(true) }),
      errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "SERVICE_UNAVAILABLE"],
      internal: true,
      async handler({ params, body, caller }) {
        const served = await requireWorkerSession(services.database, caller, params.id);
        const result = await keepMessages(services, served, body.messages);
        if (result === "agent-deleted") throw new ServiceError("NOT_FOUND", "The agent was deleted");
        if (result === "superseded") throw superseded();
        if (result === "no-conversation")
          throw new ServiceError("CONFLICT", "The avatar session holds no conversation");
        return { ok: true as const };
      },
    }),
  ];
}
