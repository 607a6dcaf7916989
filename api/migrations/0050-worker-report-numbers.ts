// Why: two workers with one id, as on copies of a machine, must both count. Their reports tell by their numbers.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const workerReportNumbersMigration: Migration = {
  name: "0050-worker-report-numbers",
  async up(transaction) {
    await sql`alter table avatar_workers add column report_seq integer`.execute(transaction);
  },
};
