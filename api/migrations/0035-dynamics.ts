// Why: gestures are made for agents by durable jobs. The configuration is the agent's; its sessions follow
// it; the runs have a table of their own.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const dynamicsMigration: Migration = {
  name: "0035-dynamics",
  async up(transaction) {
    await sql`
      alter table agents add column dynamics jsonb not null default '{}' check (jsonb_typeof(dynamics) = 'object');
      create table agent_dynamics (
        agent_id uuid primary key references agents on delete cascade,
        user_id uuid not null references accounts on delete cascade,
        agent_code text not null,
        run integer not null check (run > 0),
        -- Of the agent, when the run was ordered.
        revision integer not null,
        status text not null check (status in ('processing', 'generating', 'ready', 'failed')),
        is_charged boolean not null,
        seconds real not null check (seconds > 0),
        progress real not null default 0 check (progress between 0 and 1),
        error_message text,
        -- The last completed run, with its clips stored.
        made_run integer check (made_run <= run),
        made_revision integer,
        made_seconds real,
        actions text[] not null default '{}',
        updated_at timestamptz not null,
        check ((made_run is null) = (made_revision is null)),
        check (status <> 'failed' or error_message is not null)
      );
      create index agent_dynamics_in_progress on agent_dynamics (updated_at)
        where status in ('processing', 'generating');
    `.execute(transaction);
  },
};
