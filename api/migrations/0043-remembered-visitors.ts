// Why: only a visitor whom the caller has named is remembered; on the demo page visitors name themselves.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const rememberedVisitorsMigration: Migration = {
  name: "0043-remembered-visitors",
  async up(transaction) {
    await sql`
      alter table avatar_sessions add column remembers_visitor boolean not null default false;
    `.execute(transaction);
  },
};
