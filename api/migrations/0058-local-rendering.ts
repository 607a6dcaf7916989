// Why: an agent's owner decides whether its visitors' browsers may render it, and a session remembers what was decided
// at its launch, and for how long no video was streamed, which has a price of its own.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const localRenderingMigration: Migration = {
  name: "0058-local-rendering",
  async up(transaction) {
    await sql`
      alter table agents add column local_rendering text not null default 'default';
      alter table avatar_sessions
        add column viewers_may_render boolean not null default false,
        add column viewers_render boolean not null default false,
        -- Of the served time, that without video: of all workers, and of the earlier ones.
        add column viewer_deciseconds integer not null default 0,
        add column earlier_viewer_deciseconds integer not null default 0;
    `.execute(transaction);
  },
};
