// Why: an agent has a film of itself at rest, made in the background after its creation.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentClipsMigration: Migration = {
  name: "0037-agent-clips",
  async up(transaction) {
    // The object of the film.
    await sql`alter table agents add column clip_key text`.execute(transaction);
  },
};
