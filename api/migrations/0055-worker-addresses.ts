// Why: relays connect only to addresses of workers that this version has checked. The version before stores what a
// report says in `realtime_url`, unchecked, which is read no more.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerAddressesMigration: Migration = {
  name: "0055-worker-addresses",
  async up(transaction) {
    await sql`
      alter table avatar_workers add column relay_url text;
    `.execute(transaction);
  },
};
