// Avatar sessions that a caller may see. Others are answered as NOT_FOUND.
import { ServiceError } from "../../../shared/errors.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { findAvatarSession } from "./avatar-session-store.ts";

/** An account's own session. Throws NOT_FOUND if the account has no such session. */
export async function requireOwnSession(database: Queryable, userId: string, id: string): Promise<AvatarSession> {
  return requireSession(database, id, (session) => session.userId === userId);
}

/** The session with this id, if `isAllowed` returns true for it. Throws NOT_FOUND otherwise. */
export async function requireSession(
  database: Queryable,
  id: string,
  isAllowed: (session: AvatarSession) => boolean,
): Promise<AvatarSession> {
  const session = await findAvatarSession(database, id);
  if (session !== null && isAllowed(session)) return session;
  throw sessionNotFound(id);
}

export function sessionNotFound(id: string): ServiceError {
  return new ServiceError("NOT_FOUND", `No avatar session ${id.slice(0, 100)}`);
}
