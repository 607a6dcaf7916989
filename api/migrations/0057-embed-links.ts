// Why: a link to an embed page that can be sent to a person is short, lasts longer than an embed token and can be
// withdrawn.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const embedLinksMigration: Migration = {
  name: "0057-embed-links",
  async up(transaction) {
    await sql`
      create table embed_links (
        -- Random: it opens the page of the agent.
        code text primary key,
        user_id uuid not null references accounts on delete cascade,
        secret_id uuid not null references api_secrets on delete cascade,
        agent_code text not null,
        -- As requested; null for the agent's own.
        model text,
        created_at timestamptz not null,
        expires_at timestamptz not null
      );
      create index embed_links_by_account on embed_links (user_id, expires_at);
    `.execute(transaction);
  },
};
