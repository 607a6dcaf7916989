// Why: a person signs in to the console with a link or an API secret, and holds a cookie from then on. A
// program on another machine gets a secret after a person has confirmed its code.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const consoleSessionsMigration: Migration = {
  name: "0062-console-sessions",
  async up(transaction) {
    await sql`
      -- What a console session begins names a secret, as everything else does. This one has no value that is known to
      -- anyone, and lists leave it out.
      alter table api_secrets add column is_console boolean not null default false;

      create table console_sessions (
        id uuid primary key default gen_random_uuid(),
        user_id uuid not null references accounts on delete cascade,
        cookie_sha256 bytea not null unique,
        -- The secret that was pasted, or one made for this session. Revoked, it ends the session.
        secret_id uuid not null references api_secrets on delete cascade,
        -- How the person signed in: link, secret.
        method text not null,
        -- As the browser named itself when it signed in.
        user_agent text not null,
        address text not null,
        created_at timestamptz not null,
        last_used_at timestamptz not null
      );
      create index console_sessions_by_account on console_sessions (user_id);
      create index console_sessions_by_use on console_sessions (last_used_at);

      create table sign_in_links (
        link_sha256 bytea primary key,
        user_id uuid not null references accounts on delete cascade,
        expires_at timestamptz not null
      );

      create table device_codes (
        device_sha256 bytea primary key,
        user_code text not null unique,
        -- The computer that asks, as it named itself.
        host text not null,
        address text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        -- Who has decided; null until then.
        user_id uuid references accounts on delete cascade,
        is_denied boolean not null default false
      );
    `.execute(transaction);
  },
};
