// Why: a conversation is announced once, when a person is there, and costs more while a language model answers.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const conversationStateMigration: Migration = {
  name: "0042-conversation-state",
  async up(transaction) {
    await sql`
      alter table avatar_sessions
        add column announced_at timestamptz,
        add column mind text,
        add column chat_deciseconds integer not null default 0;
    `.execute(transaction);
  },
};
