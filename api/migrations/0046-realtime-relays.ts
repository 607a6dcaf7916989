// Why: operators see whether a relay is there, and prices say whether calls are available.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const realtimeRelaysMigration: Migration = {
  name: "0046-realtime-relays",
  async up(transaction) {
    await sql`
      create table realtime_relays (
        id uuid primary key,
        last_seen_at timestamptz not null
      );
    `.execute(transaction);
  },
};
