// Why: a transcript shows how long each answer took, which its worker reported and was thrown away. And an account's
// sessions are listed page by page, the newest first.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionListsMigration: Migration = {
  name: "0069-session-lists",
  async up(transaction) {
    await sql`
      alter table session_messages add column latency jsonb;
      create index avatar_sessions_in_order on avatar_sessions (user_id, created_at desc, id desc);
    `.execute(transaction);
  },
};
