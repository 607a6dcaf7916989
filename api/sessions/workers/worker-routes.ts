// POST /v1/runtime/workers: an avatar worker reports that it is present and which execution provider it has.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import { workerReportSchema } from "../../../shared/runtime-api.ts";
import { verifyWorkerToken } from "../../../shared/worker-token.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { SessionServices } from "../session-services.ts";
import { noteWorker, removeWorker } from "./worker-registry.ts";

export function workerRoutes({ database, livekit, now }: SessionServices): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/runtime/workers",
      operation: "workers.report",
      tier: "none",
      auth: "none",
      summary: "Report an avatar worker and its execution providers",
      tags: ["Runtime"],
      body: workerReportSchema,
      response: z.object({ ok: z.literal(true) }),
      errors: ["UNAUTHORIZED", "CONFLICT"],
      internal: true,
      async handler({ body, request }) {
        if (!(await verifyWorkerToken(request.headers.authorization, livekit))) {
          throw new ServiceError("UNAUTHORIZED", "The worker token is not valid");
        }
        if (body.is_stopping) await removeWorker(database, body.worker_id);
        else if (!(await noteWorker(database, body, new Date(now())))) {
          throw new ServiceError("CONFLICT", "Another worker reports with this worker_id. Take a new one.");
        }
        return { ok: true as const };
      },
    }),
  ];
}
