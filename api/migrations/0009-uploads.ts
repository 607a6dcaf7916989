// Why: accounts upload assets. The table stores the owner of each object; the object itself is in object storage.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const uploadsMigration: Migration = {
  name: "0009-uploads",
  async up(transaction) {
    await sql`
      create table uploads (
        id uuid primary key,
        user_id uuid not null references accounts,
        object_key text not null unique,
        file_name text not null,
        mime_type text not null,
        category text not null,
        size_bytes bigint not null,
        sha256 text not null,
        uploaded_at timestamptz not null
      );
      create index uploads_by_account on uploads (user_id, uploaded_at desc);
    `.execute(transaction);
  },
};
