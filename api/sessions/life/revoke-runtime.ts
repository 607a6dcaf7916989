// The kill switch of an account: refuses new sessions and ends the running ones.
import { suspendRuntime } from "../../accounts/account-store.ts";
import type { Database } from "../../kernel/database/database.ts";
import { listRunningIds } from "../views/session-report.ts";
import type { AvatarSessions } from "./avatar-sessions.ts";

/** Sessions ended at the same time. A worker that does not answer takes two seconds; a hundred of them, one after the
 *  other, would take minutes. */
const CONCURRENCY = 8;

/** Suspends an account's runtime access and ends its sessions. Returns how many it ended. */
export async function revokeRuntime(
  database: Database,
  avatarSessions: Pick<AvatarSessions, "end">,
  userId: string,
): Promise<number> {
  // Suspended first; otherwise a session admitted between the two steps would continue.
  await suspendRuntime(database, userId);
  const ids = await listRunningIds(database, userId);
  for (let index = 0; index < ids.length; index += CONCURRENCY) {
    await Promise.all(ids.slice(index, index + CONCURRENCY).map((id) => avatarSessions.end(id, "terminated")));
  }
  return ids.length;
}
