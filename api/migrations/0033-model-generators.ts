// Why: models that an earlier generator made are baked again in the background. Which generator made a file was not
// recorded; null stands for an earlier one. Replaced files stay for a while, because links to them are in use.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const modelGeneratorsMigration: Migration = {
  name: "0033-model-generators",
  async up(transaction) {
    await sql`
      alter table agent_models
        add column generator_version text check (generator_version ~ '^[0-9]+[.][0-9]+[.][0-9]+$'),
        -- The latest generator that tried to bake the model again, how often, and when last.
        add column rebake_version text check (rebake_version ~ '^[0-9]+[.][0-9]+[.][0-9]+$'),
        add column rebake_attempts integer not null default 0,
        add column rebake_tried_at timestamptz,
        -- The file before the last rebake, until it is deleted.
        add column replaced_key text,
        add column replaced_at timestamptz;
      create index agent_models_replaced on agent_models (replaced_at) where replaced_key is not null;
    `.execute(transaction);
  },
};
