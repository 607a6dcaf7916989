// Whether a caller of the runtime API may speak for a session.
import { ServiceError } from "../../../shared/errors.ts";
import type { RuntimeCaller, RuntimeSessionCaller } from "../../accounts/caller.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import { requireSession } from "../record/session-access.ts";

type Caller = RuntimeCaller | RuntimeSessionCaller;

/** The session of its worker, or a self-hosted one of the caller's account or of its launch token. Throws NOT_FOUND for
 *  any other. */
export function requireCallersSession(database: Queryable, caller: Caller, id: string): Promise<AvatarSession> {
  return requireSession(database, id, (session) =>
    caller.kind === "runtime-session"
      ? caller.avatarSessionId === id
      : session.isSelfHosted &&
        session.userId === caller.account.userId &&
        (caller.launch === null || session.transactionId === caller.transactionId),
  );
}

/** The session of its worker, and the number of the worker's dispatch. Throws NOT_FOUND, and FORBIDDEN for a
 *  self-hosted runtime. */
export async function requireWorkerSession(
  database: Queryable,
  caller: Caller,
  id: string,
): Promise<{ session: AvatarSession; dispatchNumber: number }> {
  const session = await requireCallersSession(database, caller, id);
  if (caller.kind !== "runtime-session")
    throw new ServiceError("FORBIDDEN", "Only avatar workers may call this endpoint");
  return { session, dispatchNumber: caller.dispatchNumber };
}

/** The session was dispatched to another worker since. */
export function superseded(): ServiceError {
  return new ServiceError("CONFLICT", "This worker no longer runs the avatar session. Leave the room.");
}
