// Why: each avatar worker reports itself and whether it has a GPU, so that the api knows both before it launches a
// session.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const avatarWorkersMigration: Migration = {
  name: "0025-avatar-workers",
  async up(transaction) {
    await sql`
      create table avatar_workers (
        id uuid primary key,
        -- Execution providers that it can render with: cpu, cuda.
        providers text[] not null,
        active_sessions integer not null,
        max_sessions integer not null,
        last_seen_at timestamptz not null
      );
    `.execute(transaction);
  },
};
