// Why: a server of the account's own may say more than any disk holds. What is kept of it is counted.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const messageBudgetsMigration: Migration = {
  name: "0051-message-budgets",
  async up(transaction) {
    await sql`alter table avatar_sessions add column message_bytes bigint not null default 0`.execute(transaction);
    await sql`
      create table message_days (
        user_id uuid not null references accounts (user_id),
        day integer not null,
        bytes bigint not null,
        primary key (user_id, day)
      )
    `.execute(transaction);
  },
};
