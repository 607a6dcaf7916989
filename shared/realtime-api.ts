// Messages between the api and realtime relays, each with its parser. A relay has no database: it asks the api about
// every call. Its credential is in `worker-token.ts`.
import { z } from "zod";

/** Interval of a relay's reports, in ms. */
export const RELAY_REPORT_MS = 2_000;

/** What a request to a relay showed, as far as the api needs it to know the caller. */
const callerSchema = z.object({
  /** The client's address. */
  ip: z.string().max(100),
  /** `api-secret`, `authorization`, `host`, and the headers by which proxies show themselves. */
  headers: z.record(z.string(), z.string().max(8_192)),
});
export type RelayCaller = z.infer<typeof callerSchema>;

/** POST /v1/runtime/realtime/calls: opens a call, or refuses it in the envelope that the relay passes on. */
export const openCallSchema = z.object({
  /** Chosen by the relay at its start. */
  relay_id: z.uuid(),
  caller: callerSchema,
  /** Null: the default. */
  model: z.string().max(200).nullable(),
  /** The query of the client's request besides the model, for our own realtime server. */
  query: z.record(z.string(), z.string().max(2_000)),
  transport: z.enum(["websocket", "webrtc"]),
  /** UDP ports of the relay for calls over WebRTC; absent if it may use any. Absent in earlier versions. */
  webrtc_ports: z.int32().min(1).optional(),
});
export type OpenCall = z.infer<typeof openCallSchema>;

/** The call, and where it leads. */
export const openedCallSchema = z.object({
  call_id: z.string(),
  /** As the caller names it. */
  model: z.string(),
  upstream: z.object({
    /** WebSocket URL with its query. */
    url: z.url({ protocol: /^wss?$/ }),
    /** Credentials among them: never logged. */
    headers: z.record(z.string(), z.string()),
    /** As the upstream names it. */
    model: z.string(),
  }),
  /** Seconds after which the credits are used up; absent for an hour. The next report may bring another limit. */
  limit_seconds: z.number().min(0).optional(),
});
export type OpenedCall = z.infer<typeof openedCallSchema>;

/** Seconds since a call began, to the millisecond; they only grow. */
const callSeconds = z.number().min(0).max(1e6);

/** POST /v1/runtime/realtime/reports, every two seconds: all calls of a relay, and those that ended since a report was
 *  answered. A repeated report changes nothing. */
export const relayReportSchema = z.object({
  relay_id: z.uuid(),
  running: z.array(z.object({ call_id: z.string().max(100), seconds: callSeconds })).max(10_000),
  ended: z.array(z.object({ call_id: z.string().max(100), seconds: callSeconds })).max(10_000),
  /** True while the relay takes no more calls. */
  is_draining: z.boolean(),
});
export type RelayReport = z.infer<typeof relayReportSchema>;

/** Why the api stops a call. `unknown`: it was settled while its relay was silent. */
const stopReasonSchema = z.enum(["balance_exhausted", "secret_revoked", "account_suspended", "hung_up", "unknown"]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** Answer to a report: calls to stop, and the seconds at which others have used up their credits. A call that is in no
 *  list may last an hour. Earlier versions name no limits. */
export const relayReportAnswerSchema = z.object({
  stop: z.array(z.object({ call_id: z.string(), reason: stopReasonSchema })),
  limits: z.array(z.object({ call_id: z.string(), seconds: z.number().min(0) })).optional(),
});
export type RelayReportAnswer = z.infer<typeof relayReportAnswerSchema>;

/** POST /v1/runtime/realtime/hangups: a caller ends a call, which any relay may hold. */
export const hangupSchema = z.object({ caller: callerSchema, call_id: z.string().max(200) });
export type Hangup = z.infer<typeof hangupSchema>;
