// Descriptions of the fields of realtime calls.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const REALTIME_FIELDS: FieldDescriptions = {
  "realtime.connect.model": "Model of the call; see GET /v1/models",
  "HangUpCall.action": "hangup ends the call",
  "HangUpCall.call": "Id of the call, from its X-Service-Call",
};
