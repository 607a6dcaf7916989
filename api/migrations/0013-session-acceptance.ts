// Why: a launch is answered once an avatar worker has accepted it, and the worker's time to join counts from then.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionAcceptanceMigration: Migration = {
  name: "0013-session-acceptance",
  async up(transaction) {
    await sql`
      -- When a worker took the present dispatch; null while none has.
      alter table avatar_sessions add column accepted_at timestamptz;
      -- Sessions that run already have been taken.
      update avatar_sessions set accepted_at = created_at where status <> 'ended';
    `.execute(transaction);
  },
};
