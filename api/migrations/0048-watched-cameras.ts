// Why: a conversation costs more while the language model is shown the person's camera.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const watchedCamerasMigration: Migration = {
  name: "0048-watched-cameras",
  async up(transaction) {
    await sql`alter table avatar_sessions add column camera_deciseconds integer not null default 0`.execute(
      transaction,
    );
  },
};
