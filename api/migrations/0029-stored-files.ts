// Why: uploads and knowledge files are counted per owner and deleted after their retention time. Failed fetches of
// files are retried with growing intervals.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const storedFilesMigration: Migration = {
  name: "0029-stored-files",
  async up(transaction) {
    await sql`
      create index uploads_by_age on uploads (uploaded_at);
      create index knowledge_files_by_organization on knowledge_files (organization_id, created_at desc);
      alter table knowledge_files add column sync_failures integer not null default 0;
    `.execute(transaction);
  },
};
