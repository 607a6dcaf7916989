// Why: LiveKit drops a dispatch that finds no worker. A session with a dispatch older than a worker's registration is
// dispatched again.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerRegistrationsMigration: Migration = {
  name: "0032-worker-registrations",
  async up(transaction) {
    await sql`alter table avatar_workers add column registered_at timestamptz not null default now()`.execute(
      transaction,
    );
  },
};
