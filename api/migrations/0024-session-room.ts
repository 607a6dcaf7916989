// Why: repeated calls of `/end` report whether the avatar is known to have left. Rooms on a caller's own LiveKit server
// are known only through the avatar's reports. Objects that ended sessions leave in object storage are found and
// deleted.
import { sql } from "kysely";
import type { Migration } from "../kernel/database/migration.ts";

export const sessionRoomMigration: Migration = {
  name: "0024-session-room",
  async up(transaction) {
    await sql`
      -- When the avatar is known to have left its room; null while that is not known.
      alter table avatar_sessions add column left_at timestamptz;
      -- Avatars of sessions that ended before this column existed are long gone.
      update avatar_sessions set left_at = ended_at where status = 'ended' and not is_self_hosted;
      -- As the avatar last reported its room: everyone in it, the avatar included, and when the room was created.
      alter table avatar_sessions add column room_participants integer;
      alter table avatar_sessions add column room_created_at timestamptz;
      create index avatar_sessions_with_portrait on avatar_sessions (id) where portrait_key is not null;
    `.execute(transaction);
  },
};
