// Why: the exchanges and the unserved sessions of one account are counted, and old ones deleted, without reading the
// whole tables.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sweepIndicesMigration: Migration = {
  name: "0054-sweep-indices",
  async up(transaction) {
    await sql`
      create index token_exchanges_by_account on token_exchanges (user_id, expires_at);
      create index avatar_sessions_unserved on avatar_sessions (user_id, ended_at desc)
        where is_self_hosted and status = 'ended' and served_deciseconds = 0;
    `.execute(transaction);
  },
};
