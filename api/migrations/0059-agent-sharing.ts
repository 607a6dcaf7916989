// Why: an owner may let visitors meet an agent without a token. Visits are counted by day, against limits of the owner.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentSharingMigration: Migration = {
  name: "0059-agent-sharing",
  async up(transaction) {
    await sql`
      create table agent_sharing (
        agent_id uuid primary key references agents on delete cascade,
        is_public boolean not null,
        -- Sites that may show the public page in a frame, as CSP host sources.
        origins text[] not null,
        visitor_minutes_per_day int not null,
        sessions_per_day int not null,
        updated_at timestamptz not null
      );
      -- Sessions of visitors without a token of the owner's.
      create table public_visits (
        session_id text primary key references avatar_sessions on delete cascade,
        agent_code text not null,
        -- In UTC, as YYYY-MM-DD.
        day text not null,
        -- Keyed digests, other ones each day: neither can be followed over days, or back to an address.
        visitor_digest text not null,
        address_digest text not null
      );
      create index public_visits_by_day on public_visits (agent_code, day);
    `.execute(transaction);
  },
};
