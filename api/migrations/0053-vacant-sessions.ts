// Why: a session that waits for its user to return gives its slot to a launch that needs it.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const vacantSessionsMigration: Migration = {
  name: "0053-vacant-sessions",
  async up(transaction) {
    await sql`alter table avatar_sessions add column vacant_since timestamptz`.execute(transaction);
    // Few sessions are vacant at a time.
    await sql`create index avatar_sessions_vacant on avatar_sessions (vacant_since) where vacant_since is not null`.execute(
      transaction,
    );
  },
};
