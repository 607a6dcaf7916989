// Avatar sessions of an account, written as launches, heartbeats and ends leave them.
import {
  insertAvatarSession,
  moveAvatarSession,
  type NewAvatarSession,
} from "../../../api/sessions/record/avatar-session-store.ts";
import { newSession } from "../service/new-session.ts";
import type { TestApi } from "../service/with-api.ts";

const HOUR_MS = 3_600_000;

export interface SeededSession extends Partial<NewAvatarSession> {
  userId: string;
  /** Of the time before now. */
  ageMs: number;
  /** Default: it runs. */
  lengthMs?: number;
  credits?: number;
}

/** Returns the session's id. */
export async function seedSession(api: TestApi, options: SeededSession): Promise<string> {
  const { ageMs, lengthMs, credits = 0, ...fields } = options;
  const { database, now } = api.services;
  const createdAt = new Date(now() - ageMs);
  const session = newSession({ createdAt, ...fields });
  const { id } = session;
  await insertAvatarSession(database, session);
  const servedDeciseconds = Math.floor((lengthMs ?? ageMs) / 100);
  await moveAvatarSession(database, id, {
    from: "starting",
    to: "live",
    patch: { liveAt: new Date(createdAt.getTime() + 1_300), servedDeciseconds },
  });
  await database
    .updateTable("avatar_sessions")
    .set({ last_seen_at: new Date(now() + HOUR_MS) })
    .where("id", "=", id)
    .execute();
  if (lengthMs === undefined) return id;
  const endedAt = new Date(createdAt.getTime() + lengthMs);
  const patch = { endedAt, endReason: "last_user_left", credits, leftAt: endedAt } as const;
  await moveAvatarSession(database, id, { from: "live", to: "ended", patch });
  return id;
}
