// Why: rate limits count across api processes. The table is unlogged, so taking a token writes no write-ahead log.
// After a crash the buckets start full, which is harmless.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const limitsMigration: Migration = {
  name: "0004-limits",
  async up(transaction) {
    await sql`
      create unlogged table rate_buckets (
        key text primary key,
        tokens double precision not null,
        at_unix_s double precision not null,
        was_allowed boolean not null
      )
    `.execute(transaction);
  },
};
