// Why: a failed regeneration must not change a working agent. Until it succeeds, its result is kept apart, as a draft
// of the agent and of its models. An image or sample that could not be checked at submit is kept for the job.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentDraftsMigration: Migration = {
  name: "0021-agent-drafts",
  async up(transaction) {
    await sql`
      alter table agents
        add column draft jsonb,
        add column is_auto_model boolean not null default false,
        add column image_key text,
        add column voice_sample_key text;
      alter table agent_models
        add column is_draft boolean not null default false,
        drop constraint agent_models_pkey,
        add primary key (agent_id, family, is_draft);
    `.execute(transaction);
  },
};
