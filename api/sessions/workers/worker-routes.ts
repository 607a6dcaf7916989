// POST /v1/runtime/workers: an avatar worker reports that it is present and which execution provider it has.
import { hostOf, isAddressIn, isSameAddress } from "../../../program/outgoing/address-rules.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { workerReportAnswerSchema, workerReportSchema } from "../../../shared/runtime-api.ts";
import { verifyWorkerToken } from "../../../shared/worker-token.ts";
import { type Route, route } from "../../kernel/http/route.ts";
import type { SessionServices } from "../session-services.ts";
import { noteWorker, removeWorker } from "./worker-registry.ts";

export function workerRoutes({ config, database, livekit, now }: SessionServices): Route[] {
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
      response: workerReportAnswerSchema,
      errors: ["UNAUTHORIZED", "CONFLICT"],
      internal: true,
      async handler({ body, request }) {
        const claims = await verifyWorkerToken(request.headers.authorization, livekit);
        // Tokens of the version before name no worker; its realtime server is not used.
        const isOlder = claims?.workerId === null;
        if (!claims || !(isOlder || claims.workerId === body.worker_id)) {
          throw new ServiceError("UNAUTHORIZED", "The worker token is not valid, or is another worker's");
        }
        if (!isOlder && claims.realtimeUrl !== body.realtime_url) {
          throw new ServiceError("UNAUTHORIZED", "The worker token is of another realtime_url");
        }
        if (body.is_stopping) {
          await removeWorker(database, body.worker_id);
          return { ok: true as const };
        }
        const { realtimeUrl } = claims;
        const isAccepted =
          realtimeUrl !== undefined && isWorkerAddress(realtimeUrl, request.ip, config.realtime.workerAddresses);
        const noted = { ...body, realtime_url: isAccepted ? realtimeUrl : undefined };
        if (!(await noteWorker(database, noted, new Date(now())))) {
          throw new ServiceError("CONFLICT", "Another worker reports with this worker_id. Take a new one.");
        }
        return { ok: true as const, is_realtime_accepted: realtimeUrl === undefined ? undefined : isAccepted };
      },
    }),
  ];
}

/** Whether relays may connect to this URL: it is at the address from which its worker reports, or at one that the
 *  operator allows. */
function isWorkerAddress(url: string, peer: string, allowed: readonly string[]): boolean {
  const host = hostOf(new URL(url));
  return isSameAddress(host, peer) || isAddressIn(host, allowed);
}
