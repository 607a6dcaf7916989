// Why: a person who looks through their API secrets wants to know which are still in use. Of uses before this migration
// nothing is known.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const secretUsesMigration: Migration = {
  name: "0068-secret-uses",
  async up(transaction) {
    await sql`alter table api_secrets add column last_used_at timestamptz`.execute(transaction);
  },
};
