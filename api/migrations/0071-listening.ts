// Why: a launch decides whether the avatar's face may react to what users say, and a session that is dispatched again
// remembers it.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const listeningMigration: Migration = {
  name: "0071-listening",
  async up(transaction) {
    await sql`alter table avatar_sessions add column listens boolean not null default true`.execute(transaction);
  },
};
