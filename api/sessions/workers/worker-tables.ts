// Table of avatar workers, as created by migration 0025.
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
