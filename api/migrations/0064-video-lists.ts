// Why: an account's talking videos are listed, newest first, without reading those of other accounts.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const videoListsMigration: Migration = {
  name: "0064-video-lists",
  async up(transaction) {
    await sql`
      create index videos_by_account on videos (user_id, created_at desc, id desc) where deleted_at is null;
    `.execute(transaction);
  },
};
