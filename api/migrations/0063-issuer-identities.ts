// Why: a person who signs in at an OpenID Connect issuer keeps their account when their e-mail address changes.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const issuerIdentitiesMigration: Migration = {
  name: "0063-issuer-identities",
  async up(transaction) {
    await sql`
      create table issuer_identities (
        issuer text not null,
        subject text not null,
        user_id uuid not null references accounts on delete cascade,
        created_at timestamptz not null,
        primary key (issuer, subject)
      )
    `.execute(transaction);
  },
};
