// Why: who creates an agent may name it, or leave it without a name; the persona step must not name it then.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const namedAgentsMigration: Migration = {
  name: "0056-named-agents",
  async up(transaction) {
    await sql`alter table agents add column is_named boolean not null default false`.execute(transaction);
  },
};
