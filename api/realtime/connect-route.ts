// POST /v1/realtime/connect in the document. The relay answers it; a request reaches the api only if no front or proxy
// stands before both.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { HEADER_CALL } from "../../shared/wire-names.ts";
import { type Route, route } from "../kernel/http/route.ts";

const RETRY_AFTER_SECONDS = 60;

const hangupSchema = z.object({ action: z.literal("hangup"), call: z.string() }).meta({ id: "HangUpCall" });

/** The route. */
export function connectRoute(): Route {
  return route({
    method: "post",
    path: "/v1/realtime/connect",
    operation: "realtime.connect",
    tier: "address",
    auth: "secret-or-bearer",
    summary: "Open a realtime call over WebRTC with an SDP offer, or hang one up",
    description: `An offer is answered with 201, the SDP answer, and ${HEADER_CALL}, which names the call. A hangup is answered with 200 and JSON. A closed peer without a hangup ends its call after 8 to 10 seconds. The same calls over a WebSocket: GET /v1/realtime?model=….`,
    tags: ["Realtime"],
    query: z.object({
      model: z.string().optional(),
      intent: z.literal("transcription").optional().meta({
        description: "The call only writes down what is said; it costs no credits, and its model is not looked at",
      }),
    }),
    foreignBodies: { "application/sdp": z.string(), "application/json": hangupSchema },
    successStatus: 201,
    responseType: "application/sdp",
    errors: [
      "MISSING_PARAM",
      "VALIDATION_ERROR",
      "INSUFFICIENT_BALANCE",
      "PLAN_REQUIRED",
      "CONCURRENCY_LIMIT_REACHED",
      "NOT_FOUND",
      "FILE_TOO_LARGE",
      "UNSUPPORTED_TYPE",
      "SERVICE_UNAVAILABLE",
      "UPSTREAM_UNAVAILABLE",
      "UPSTREAM_TIMEOUT",
    ],
    cors: true,
    async handler() {
      throw new ServiceError("SERVICE_UNAVAILABLE", "No realtime relay answers at this address.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    },
  });
}
