// Why: a sender waits for the end of each segment. If a worker dies, the next one reports the segments it left open.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const openSegmentsMigration: Migration = {
  name: "0030-open-segments",
  async up(transaction) {
    await sql`alter table avatar_sessions add column open_segments jsonb not null default '[]'`.execute(transaction);
  },
};
