// Why: an account may bring its own language model, speech recognition and voice, and choose them for each of its
// agents.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const providersMigration: Migration = {
  name: "0044-providers",
  async up(transaction) {
    await sql`
      create table providers (
        user_id uuid not null references accounts on delete cascade,
        id text not null,
        position integer not null,
        platform text not null,
        label text not null,
        base_url text,
        options jsonb not null,
        metadata jsonb not null,
        -- Name, hint and time of each secret. The values are sealed, as one JSON object.
        secrets jsonb not null,
        sealed_secrets bytea,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, id)
      );
      -- Ids of the chosen providers, by kind.
      alter table agents add column providers jsonb not null default '{}';
    `.execute(transaction);
  },
};
