// Why: sessions that need a GPU are placed by the room that workers measure on theirs.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerGpusMigration: Migration = {
  name: "0049-worker-gpus",
  async up(transaction) {
    await sql`alter table avatar_workers add column max_gpu_sessions integer`.execute(transaction);
  },
};
