// Why: the page of a visitor may ask for the greeting in another language, or for none, because it has words of its own
// for the avatar to say first. The worker asks for the session's job later, and maybe another worker again.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionGreetingsMigration: Migration = {
  name: "0060-session-greetings",
  async up(transaction) {
    // own: the agent's; none; or a language tag.
    await sql`alter table avatar_sessions add column greeting text not null default 'own'`.execute(transaction);
  },
};
