// Why: by default any site may frame the embed page; an account may limit this to its own sites.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const embedSettingsMigration: Migration = {
  name: "0028-embed-settings",
  async up(transaction) {
    await sql`
      create table embed_settings (
        user_id uuid primary key references accounts on delete cascade,
        -- CSP host sources. Null or no row: any site.
        frame_ancestors text[] check (cardinality(frame_ancestors) > 0),
        updated_at timestamptz not null
      );
    `.execute(transaction);
  },
};
