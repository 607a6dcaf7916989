// Why: a hosted room is ours, so it closes when its session is ended over REST. Sessions name their end user.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionVisitorsMigration: Migration = {
  name: "0031-session-visitors",
  async up(transaction) {
    await sql`
      alter table avatar_sessions
        add column is_hosted boolean not null default false,
        add column end_user_id text;
    `.execute(transaction);
  },
};
