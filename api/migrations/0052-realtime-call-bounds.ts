// Why: open realtime calls are counted per account, by what they take up, and calls that have ended are settled after
// their relay was answered.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const realtimeCallBoundsMigration: Migration = {
  name: "0052-realtime-call-bounds",
  async up(transaction) {
    await sql`
      alter table realtime_calls
        add column kind text not null default 'conversation',
        add column transport text not null default 'websocket',
        -- Its relay has reported its end; it is still to be charged.
        add column is_ended boolean not null default false;
      create index realtime_calls_by_user on realtime_calls (user_id);
      create index realtime_calls_ended on realtime_calls (last_seen_at) where is_ended;
      -- Most realtime sessions of the worker, the running ones included.
      alter table avatar_workers add column realtime_slots integer;
    `.execute(transaction);
  },
};
