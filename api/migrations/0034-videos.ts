// Why: talking videos are made by durable jobs. Their rows stay after the films have gone with their agents, because
// usage refers to them; what was to be said is kept only until it has been filmed.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const videosMigration: Migration = {
  name: "0034-videos",
  async up(transaction) {
    await sql`
      create table videos (
        id text primary key check (id ~ '^vid_[0-9a-f]{20}$'),
        user_id uuid not null references accounts on delete cascade,
        agent_id uuid not null references agents on delete cascade,
        agent_code text not null,
        family text not null,
        -- As the caller named it.
        model text not null,
        status text not null check (status in ('processing', 'completed', 'failed')),
        progress real not null default 0 check (progress between 0 and 1),
        -- Null once the video is completed or failed.
        input jsonb,
        rate_credits integer not null check (rate_credits > 0),
        -- Charged in the end.
        credits integer check (credits >= 0),
        -- Of the film, once it is made.
        duration_ms integer check (duration_ms > 0),
        has_subtitles boolean not null default false,
        error_message text,
        created_at timestamptz not null,
        ended_at timestamptz,
        -- When the film went with its agent.
        deleted_at timestamptz,
        check ((status = 'processing') = (ended_at is null)),
        check ((status = 'processing') = (input is not null))
      );
      create index videos_processing on videos (created_at) where status = 'processing';
      create index videos_agent on videos (agent_id) where deleted_at is null;
    `.execute(transaction);
  },
};
