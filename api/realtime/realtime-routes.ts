// Routes for realtime relays. They carry the relay's own credential, and the caller's as the relay received it.

import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import {
  hangupSchema,
  openCallSchema,
  openedCallSchema,
  relayReportAnswerSchema,
  relayReportSchema,
} from "../../shared/realtime-api.ts";
import { verifyRelayToken } from "../../shared/worker-token.ts";
import { type RequestInfo, type Route, route } from "../kernel/http/route.ts";
import type { CallIds } from "./calls/call-id.ts";
import type { CallSettler } from "./calls/call-settler.ts";
import { hangUpCall } from "./calls/call-store.ts";
import { identifyCaller, openCall } from "./calls/open-call.ts";
import { takeReport } from "./calls/take-report.ts";
import type { RealtimeServices } from "./realtime-services.ts";

const TAGS = ["Runtime"];

export interface RealtimeRouteServices {
  ids: CallIds;
  settler: CallSettler;
}

export function realtimeRoutes(services: RealtimeServices, { ids, settler }: RealtimeRouteServices): Route[] {
  const requireRelay = async ({ headers }: RequestInfo): Promise<void> => {
    if (await verifyRelayToken(headers.authorization, services.livekit)) return;
    throw new ServiceError("UNAUTHORIZED", "The relay token is not valid");
  };
  return [
    route({
      method: "post",
      path: "/v1/runtime/realtime/calls",
      operation: "realtime.openCall",
      tier: "none",
      auth: "none",
      summary: "Open a realtime call for a relay",
      tags: TAGS,
      body: openCallSchema,
      response: openedCallSchema,
      errors: ["UNAUTHORIZED"],
      internal: true,
      async handler({ body, request }) {
        await requireRelay(request);
        return openCall(services, ids, body);
      },
    }),
    route({
      method: "post",
      path: "/v1/runtime/realtime/reports",
      operation: "realtime.report",
      tier: "none",
      auth: "none",
      summary: "Report the running and ended calls of a relay",
      tags: TAGS,
      body: relayReportSchema,
      bodyLimitBytes: 4 * 1024 * 1024,
      response: relayReportAnswerSchema,
      errors: ["UNAUTHORIZED"],
      internal: true,
      async handler({ body, request }) {
        await requireRelay(request);
        return takeReport(services, settler, body);
      },
    }),
    route({
      method: "post",
      path: "/v1/runtime/realtime/hangups",
      operation: "realtime.hangUp",
      tier: "none",
      auth: "none",
      summary: "End a realtime call, whichever relay holds it",
      tags: TAGS,
      body: hangupSchema,
      response: z.object({ ok: z.literal(true) }),
      errors: ["UNAUTHORIZED", "NOT_FOUND"],
      internal: true,
      async handler({ body, request }) {
        await requireRelay(request);
        const { account } = await identifyCaller(services, body.caller);
        if (!ids.isOf(body.call_id, account.userId)) {
          throw new ServiceError("NOT_FOUND", `No realtime call ${body.call_id.slice(0, 100)}`);
        }
        await hangUpCall(services.database, body.call_id);
        return { ok: true as const };
      },
    }),
  ];
}
