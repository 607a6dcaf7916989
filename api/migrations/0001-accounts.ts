// Why: accounts own everything else, secrets identify them, and credits are kept as entries, so that every change of a
// balance can be explained and repeated safely. `settings` holds values that this installation generated, such as its
// signing key.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const accountsMigration: Migration = {
  name: "0001-accounts",
  async up(transaction) {
    await sql`
      create table accounts (
        user_id uuid primary key default gen_random_uuid(),
        email text not null,
        plan text not null check (plan in ('free', 'creator', 'pro', 'business', 'enterprise', 'custom')),
        status text not null default 'active' check (status in ('active', 'suspended')),
        is_runtime_suspended boolean not null default false,
        created_at timestamptz not null
      );
      create unique index accounts_email on accounts (lower(email));

      create table api_secrets (
        id uuid primary key default gen_random_uuid(),
        user_id uuid not null references accounts on delete cascade,
        alias text not null,
        secret_sha256 bytea not null unique,
        last_four text not null,
        created_at timestamptz not null,
        revoked_at timestamptz
      );
      create unique index api_secrets_alias on api_secrets (user_id, alias) where revoked_at is null;

      create table credit_entries (
        id bigint generated always as identity primary key,
        user_id uuid not null references accounts on delete cascade,
        pool text not null check (pool in ('plan', 'topup', 'reward')),
        amount_credits integer not null check (amount_credits <> 0),
        reason text not null,
        reference text not null,
        agent_code text,
        created_at timestamptz not null,
        unique (user_id, reference, pool)
      );
      create index credit_entries_by_account on credit_entries (user_id, id);

      create table settings (key text primary key, value text not null);
    `.execute(transaction);
  },
};
