// Why: an agent may wait for a person to mark its face, keeps its owner's prompt beside the system prompt that was
// written from it, and gets a voice that suits a sample.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentInputsMigration: Migration = {
  name: "0011-agent-inputs",
  async up(transaction) {
    await sql`
      alter table agents
        add column prompt text not null default '',
        add column transparency boolean not null default false,
        add column portrait_width_px integer,
        add column portrait_height_px integer,
        add column face_marks jsonb,
        add column suggested_face_marks jsonb,
        add column waiting_since timestamptz,
        add column voice_sample_url text,
        add column voice_pitch_hz real,
        add column purged_at timestamptz;
      update agents set prompt = system_prompt;
      create index agents_to_purge on agents (deleted_at) where deleted_at is not null and purged_at is null;
      create index agents_waiting on agents (waiting_since) where waiting_since is not null and deleted_at is null;
    `.execute(transaction);
  },
};
