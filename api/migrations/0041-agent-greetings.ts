// Why: an agent greets who comes to talk, in words that its persona step writes.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const agentGreetingsMigration: Migration = {
  name: "0041-agent-greetings",
  async up(transaction) {
    await sql`alter table agents add column greeting text not null default ''`.execute(transaction);
  },
};
