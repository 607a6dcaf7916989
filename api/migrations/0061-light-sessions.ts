// Why: a session that its viewers render costs a worker far less than one that it streams, so workers say how many of
// each they can run.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const lightSessionsMigration: Migration = {
  name: "0061-light-sessions",
  async up(transaction) {
    await sql`alter table avatar_workers add column max_light_sessions integer`.execute(transaction);
  },
};
