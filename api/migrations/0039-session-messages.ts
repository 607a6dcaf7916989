// Why: conversations are kept, and their owners are told of each message once.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionMessagesMigration: Migration = {
  name: "0039-session-messages",
  async up(transaction) {
    await sql`
      alter table avatar_sessions add column last_message_seq integer not null default 0;
      create table session_messages (
        session_id text not null references avatar_sessions (id) on delete cascade,
        seq integer not null,
        role text not null,
        message text not null,
        said_at timestamptz not null,
        primary key (session_id, seq)
      );
      create index session_messages_by_time on session_messages (said_at);
    `.execute(transaction);
  },
};
