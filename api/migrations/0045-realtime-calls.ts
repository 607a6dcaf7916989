// Why: a realtime call is billed by what its relay reports, and any relay may be told to end it. The row is removed
// when the call is settled; the ledger alone remembers it.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const realtimeCallsMigration: Migration = {
  name: "0045-realtime-calls",
  async up(transaction) {
    await sql`
      create table realtime_calls (
        id text primary key,
        user_id uuid not null references accounts on delete cascade,
        -- The call ends when the secret is revoked.
        secret_id uuid not null references api_secrets on delete cascade,
        relay_id uuid not null,
        model text not null,
        started_at timestamptz not null,
        last_seen_at timestamptz not null,
        -- Served so far, as the relay last reported it.
        served_deciseconds integer not null default 0,
        is_hung_up boolean not null default false
      );
      create index realtime_calls_by_last_seen on realtime_calls (last_seen_at);
    `.execute(transaction);
  },
};
