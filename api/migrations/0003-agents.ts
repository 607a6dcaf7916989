// Why: callers create agents and pay for them; each model of an agent is made by a durable job and has its own file.
// Idempotency keys hold answers, so that a repeated creation returns the first answer instead of charging again.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentsMigration: Migration = {
  name: "0003-agents",
  async up(transaction) {
    await sql`
      create table agents (
        id uuid primary key default gen_random_uuid(),
        user_id uuid not null references accounts on delete cascade,
        code text not null unique,
        revision integer not null default 1,
        name text not null,
        description text not null default '',
        system_prompt text not null,
        language text not null default 'en',
        gender text not null default '',
        subject text not null default '',
        model text not null,
        voice_id text,
        aspect_ratio text not null default '1:1',
        framing text not null default 'portrait',
        image_url text,
        gallery_id text,
        portrait_key text,
        status text not null
          check (status in ('processing', 'generating', 'completed', 'success', 'ready', 'failed')),
        progress real not null default 0 check (progress between 0 and 1),
        progress_msg text not null default '',
        current_step text not null default 'payment',
        event_type text not null default '',
        error_message text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        deleted_at timestamptz
      );
      create index agents_by_account on agents (user_id, created_at desc, id);
      create index agents_unfinished on agents (updated_at) where status not in ('ready', 'failed') and deleted_at is null;

      create table agent_models (
        agent_id uuid not null references agents on delete cascade,
        family text not null,
        state text not null check (state in ('pending', 'ready', 'failed')),
        reason text,
        credits integer not null,
        charge_reference text not null,
        artifact_key text,
        artifact_sha256 text,
        artifact_bytes bigint,
        requested_at timestamptz not null,
        ready_at timestamptz,
        primary key (agent_id, family)
      );
      create index agent_models_pending on agent_models (requested_at) where state = 'pending';

      create table idempotency_keys (
        user_id uuid not null references accounts on delete cascade,
        operation text not null,
        key text not null,
        body_sha256 text not null,
        answer text not null,
        created_at timestamptz not null,
        primary key (user_id, operation, key)
      );
      create index idempotency_keys_by_age on idempotency_keys (created_at);
    `.execute(transaction);
  },
};
