// Why: an avatar session is admitted, dispatched, metered and ended. Its row is authoritative, also when the worker,
// this process or LiveKit dies. `meter_carries` keeps the fraction of a credit that a session carries over to the next
// one.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const avatarSessionsMigration: Migration = {
  name: "0002-avatar-sessions",
  async up(transaction) {
    await sql`
      create table avatar_sessions (
        id text primary key,
        user_id uuid not null references accounts on delete cascade,
        secret_id uuid references api_secrets on delete set null,
        launch_token_id text unique,
        agent_code text,
        model text not null,
        family text not null,
        mode text not null,
        portrait_key text,
        is_self_hosted boolean not null,
        has_conversation boolean not null,
        livekit_url text not null,
        room_name text not null,
        avatar_identity text not null,
        sealed_livekit_token bytea,
        status text not null check (status in ('starting', 'live', 'ended')),
        end_reason text,
        dispatch_number integer not null,
        lost_workers integer not null default 0,
        last_beat_seq integer not null default 0,
        earlier_deciseconds integer not null default 0,
        served_deciseconds integer not null default 0,
        last_seen_at timestamptz not null,
        created_at timestamptz not null,
        live_at timestamptz,
        ended_at timestamptz,
        credits integer,
        check ((status = 'ended') = (ended_at is not null))
      );
      create unique index avatar_sessions_running on avatar_sessions
        (user_id, livekit_url, room_name, avatar_identity) where status <> 'ended' and not is_self_hosted;
      create index avatar_sessions_by_account on avatar_sessions (user_id) where status <> 'ended';
      create index avatar_sessions_by_agent on avatar_sessions (agent_code) where status <> 'ended';
      create index avatar_sessions_by_last_seen on avatar_sessions (last_seen_at) where status <> 'ended';

      create table meter_carries (
        user_id uuid not null references accounts on delete cascade,
        pricing_code text not null,
        carry_units integer not null,
        primary key (user_id, pricing_code)
      );
    `.execute(transaction);
  },
};
