// Why: members of an organization share it. Its secrets are secrets of the member who issued them, marked with the
// organization, so that removing the member revokes them too. An invitation is a member who has not joined yet.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const organizationsMigration: Migration = {
  name: "0008-organizations",
  async up(transaction) {
    await sql`
      create table organizations (
        id uuid primary key default gen_random_uuid(),
        name text not null,
        slug text not null,
        created_at timestamptz not null,
        deleted_at timestamptz
      );
      create unique index organizations_slug on organizations (slug) where deleted_at is null;

      create table organization_members (
        id uuid primary key default gen_random_uuid(),
        organization_id uuid not null references organizations on delete cascade,
        email text not null,
        role text not null check (role in ('owner', 'admin', 'member')),
        user_id uuid references accounts on delete cascade,
        invite_sha256 bytea unique,
        invite_expires_at timestamptz,
        created_at timestamptz not null,
        joined_at timestamptz,
        check ((user_id is null) = (joined_at is null)),
        check ((invite_sha256 is null) = (joined_at is not null)),
        check ((invite_sha256 is null) = (invite_expires_at is null)),
        check (role <> 'owner' or user_id is not null)
      );
      create unique index organization_members_email on organization_members (organization_id, lower(email));
      create unique index organization_members_account on organization_members (organization_id, user_id);
      create unique index organization_members_owner on organization_members (organization_id) where role = 'owner';
      create index organization_members_by_account on organization_members (user_id);

      create table organization_events (
        id bigint generated always as identity primary key,
        organization_id uuid not null references organizations on delete cascade,
        actor_user_id uuid not null references accounts on delete cascade,
        action text not null,
        target text not null,
        created_at timestamptz not null
      );
      create index organization_events_by_organization on organization_events (organization_id, id desc);

      alter table api_secrets add column organization_id uuid references organizations;
      drop index api_secrets_alias;
      create unique index api_secrets_alias on api_secrets (user_id, alias)
        where revoked_at is null and organization_id is null;
      create unique index api_secrets_organization_alias on api_secrets (organization_id, alias)
        where revoked_at is null and organization_id is not null;
    `.execute(transaction);
  },
};
