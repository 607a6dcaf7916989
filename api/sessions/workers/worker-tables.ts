// Table of avatar workers, as created by migrations 0025, 0032, 0047, 0049, 0050, 0052, 0055, 0061 and 0067.
import type { ColumnType, Generated } from "kysely";
import type { WorkerProvider } from "../../../shared/runtime-api.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    avatar_workers: {
      id: string;
      providers: WorkerProvider[];
      active_sessions: number;
      max_sessions: number;
      /** Most sessions that viewers render that it can run now; null from workers that count them among the others. */
      max_light_sessions: ColumnType<number | null, number | null | undefined, number | null>;
      /** Most sessions that it can render on its GPU now; null without one. */
      max_gpu_sessions: ColumnType<number | null, number | null | undefined, number | null>;
      /** WebSocket URL of its realtime server, checked; null if it takes no realtime sessions now. */
      relay_url: ColumnType<string | null, string | null | undefined, string | null>;
      /** Maximum number of realtime sessions that it can run now; null from workers that do not say. */
      realtime_slots: ColumnType<number | null, number | null | undefined, number | null>;
      /** Number of its last report; null from workers that do not count. */
      report_seq: ColumnType<number | null, number | null | undefined, number | null>;
      /** These are for the operator; null from workers that do not say. */
      host: ColumnType<string | null, string | null | undefined, string | null>;
      version: ColumnType<string | null, string | null | undefined, string | null>;
      light_sessions: ColumnType<number | null, number | null | undefined, number | null>;
      cores: ColumnType<number | null, number | null | undefined, number | null>;
      free_cores: ColumnType<number | null, number | null | undefined, number | null>;
      session_cores: ColumnType<number | null, number | null | undefined, number | null>;
      light_session_cores: ColumnType<number | null, number | null | undefined, number | null>;
      /** Whether it takes no more sessions: it counts for no capacity. */
      is_draining: Generated<boolean>;
      last_seen_at: Date;
      /** Time of its first report. */
      registered_at: ColumnType<Date, Date | undefined, never>;
    };
  }
}
