// Why: concurrent requests take their tokens in one statement, which must return the number of tokens taken.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const bucketTakesMigration: Migration = {
  name: "0017-bucket-takes",
  async up(transaction) {
    await sql`
      delete from rate_buckets;
      alter table rate_buckets drop column was_allowed, add column taken integer not null;
    `.execute(transaction);
  },
};
