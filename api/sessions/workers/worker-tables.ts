// The table of avatar workers, as migration 0025 made it.
import type { WorkerProvider } from "../../../shared/runtime-api.ts";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    avatar_workers: {
      id: string;
      providers: WorkerProvider[];
      active_sessions: number;
      max_sessions: number;
      last_seen_at: Date;
    };
  }
}
