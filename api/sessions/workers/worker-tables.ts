// Table of avatar workers, as created by migrations 0025 and 0032.
import type { ColumnType } from "kysely";
import type { WorkerProvider } from "../../../shared/runtime-api.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    avatar_workers: {
      id: string;
      providers: WorkerProvider[];
      active_sessions: number;
      max_sessions: number;
      last_seen_at: Date;
      /** Time of its first report. */
      registered_at: ColumnType<Date, Date | undefined, never>;
    };
  }
}
