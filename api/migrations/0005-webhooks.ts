// Why: an event is written as one delivery for each subscribed endpoint, in the transaction that causes the event. So
// no event is lost, and no event is sent for a change that was rolled back. Every attempt is kept, for the owner to
// look up.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const webhooksMigration: Migration = {
  name: "0005-webhooks",
  async up(transaction) {
    await sql`
      create table webhook_endpoints (
        id uuid primary key default gen_random_uuid(),
        user_id uuid not null references accounts on delete cascade,
        family text not null check (family in ('registered', 'session')),
        url text not null,
        events text[] not null,
        description text,
        is_active boolean not null default true,
        sealed_secret bytea not null,
        sealed_headers bytea,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index webhook_endpoints_by_account on webhook_endpoints (user_id);
      create unique index webhook_endpoints_session on webhook_endpoints (user_id) where family = 'session';

      create table webhook_deliveries (
        id uuid primary key,
        number bigint generated always as identity unique,
        endpoint_id uuid not null references webhook_endpoints on delete cascade,
        lane text not null,
        event_type text not null,
        body text not null,
        is_test boolean not null default false,
        attempts integer not null default 0,
        status_code integer,
        is_delivered boolean not null default false,
        due_at timestamptz,
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create index webhook_deliveries_open on webhook_deliveries (lane, number) where due_at is not null;
      create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, number desc);
      create index webhook_deliveries_by_age on webhook_deliveries (created_at);

      create table webhook_attempts (
        delivery_id uuid not null references webhook_deliveries on delete cascade,
        number integer not null,
        status_code integer,
        error text,
        duration_ms integer not null,
        at timestamptz not null,
        primary key (delivery_id, number)
      );
    `.execute(transaction);
  },
};
