// Table of avatar workers, as created by migrations 0025, 0032 and 0047.
import type { ColumnType } from "kysely";
import type { WorkerProvider } from "../../../shared/runtime-api.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    avatar_workers: {
      id: string;
      providers: WorkerProvider[];
      active_sessions: number;
      max_sessions: number;
      /** WebSocket URL of its realtime server; null if it serves no realtime session now. */
      realtime_url: ColumnType<string | null, string | null | undefined, string | null>;
      last_seen_at: Date;
      /** Time of its first report. */
      registered_at: ColumnType<Date, Date | undefined, never>;
    };
  }
}
