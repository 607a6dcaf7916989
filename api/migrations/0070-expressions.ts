// Why: an agent has a mood and a manner that its sessions begin with, and a launch may name others.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const expressionsMigration: Migration = {
  name: "0070-expressions",
  async up(transaction) {
    await sql`
      -- Null: neutral, and natural.
      alter table agents add column emotion text, add column manner text;
      -- Null: as the agent's.
      alter table avatar_sessions add column emotion text, add column manner text;
      create trigger agents_tell_manner after update on agents
        for each row when ((old.emotion, old.manner) is distinct from (new.emotion, new.manner))
        execute function tell_account('agents');
    `.execute(transaction);
  },
};
