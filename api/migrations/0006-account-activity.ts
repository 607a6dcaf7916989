// Why: an account's usage and its past sessions are listed newest first, in pages. Ended sessions had no index for
// that.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const accountActivityMigration: Migration = {
  name: "0006-account-activity",
  async up(transaction) {
    await sql`
      create index avatar_sessions_by_account_and_time on avatar_sessions (user_id, created_at desc, id desc);
    `.execute(transaction);
  },
};
