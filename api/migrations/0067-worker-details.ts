// Why: the operator's page shows where a worker runs, which version it is, what its machine has left and what a session
// costs there. A worker that drains stays in the list until its last session has ended, and takes no more.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerDetailsMigration: Migration = {
  name: "0067-worker-details",
  async up(transaction) {
    await sql`
      alter table avatar_workers
        add column host text,
        add column version text,
        add column light_sessions integer,
        add column cores real,
        add column free_cores real,
        add column session_cores real,
        add column light_session_cores real,
        add column is_draining boolean not null default false;
      create trigger avatar_workers_tell_details after update on avatar_workers
        for each row when (
          (old.light_sessions, old.is_draining, old.version) is distinct from
          (new.light_sessions, new.is_draining, new.version)
        ) execute function tell_operator('workers');
    `.execute(transaction);
  },
};
