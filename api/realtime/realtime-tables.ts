// Tables of realtime calls and their relays, as created by migrations 0045, 0046 and 0052.
import type { Generated } from "kysely";
import type { OpenCall } from "../../shared/realtime-api.ts";
import type { CallKindName } from "./calls/call-kinds.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    realtime_calls: {
      id: string;
      user_id: string;
      secret_id: string;
      relay_id: string;
      /** As the caller names it. */
      model: string;
      kind: Generated<CallKindName>;
      transport: Generated<OpenCall["transport"]>;
      started_at: Date;
      last_seen_at: Date;
      /** Served so far, in tenths of a second, as the relay last reported it. */
      served_deciseconds: Generated<number>;
      /** Whether the caller has ended it, and the relay has not reported that yet. */
      is_hung_up: Generated<boolean>;
      /** Whether its relay has reported its end; it is still to be charged. */
      is_ended: Generated<boolean>;
    };
    realtime_relays: {
      id: string;
      last_seen_at: Date;
    };
  }
}
