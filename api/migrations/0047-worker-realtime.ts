// Why: workers serve realtime sessions, and the relay connects to the address that a worker reports.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerRealtimeMigration: Migration = {
  name: "0047-worker-realtime",
  async up(transaction) {
    await sql`
      alter table avatar_workers add column realtime_url text;
    `.execute(transaction);
  },
};
