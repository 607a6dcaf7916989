// Why: a conversation that moves to another worker gets back what add-context gave it. A table of its own, because the
// row of a session is read with every heartbeat.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionContextsMigration: Migration = {
  name: "0040-session-contexts",
  async up(transaction) {
    await sql`
      create table session_contexts (
        id bigint generated always as identity primary key,
        session_id text not null references avatar_sessions (id) on delete cascade,
        context text not null,
        added_at timestamptz not null
      );
      create index session_contexts_by_session on session_contexts (session_id, id);
    `.execute(transaction);
  },
};
