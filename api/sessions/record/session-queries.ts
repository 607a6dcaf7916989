// Lists and counts avatar sessions: running ones by room, agent and account, and silent ones.
import type { Queryable } from "../../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";
import { toAvatarSession } from "./avatar-session-store.ts";

export interface RunningKey {
  userId: string;
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
}

/** The session that runs in this room under this identity, or null. */
export async function findRunningAt(database: Queryable, key: RunningKey): Promise<AvatarSession | null> {
  const row = await database
    .selectFrom("avatar_sessions")
    .selectAll()
    .where("user_id", "=", key.userId)
    .where("livekit_url", "=", key.livekitUrl)
    .where("room_name", "=", key.roomName)
    .where("avatar_identity", "=", key.avatarIdentity)
    .where("status", "<>", "ended")
    .where("is_self_hosted", "=", false)
    .executeTakeFirst();
  return row ? toAvatarSession(row) : null;
}

/** An account's sessions with an agent that have not ended and run in a room, oldest first. */
export async function listRunningOfAgent(
  database: Queryable,
  userId: string,
  agentCode: string,
): Promise<AvatarSession[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .selectAll()
    .where("user_id", "=", userId)
    .where("agent_code", "=", agentCode)
    .where("status", "<>", "ended")
    .where("is_self_hosted", "=", false)
    .orderBy("created_at")
    .execute();
  return rows.map(toAvatarSession);
}

/** Ids of an account's sessions with an agent that have not ended, self-hosted ones included. */
export async function listUnendedOfAgent(database: Queryable, userId: string, agentCode: string): Promise<string[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("user_id", "=", userId)
    .where("agent_code", "=", agentCode)
    .where("status", "<>", "ended")
    .execute();
  return rows.map(({ id }) => id);
}

/** Number of concurrency slots that an account holds. Self-hosted sessions take none. */
export async function countRunning(database: Queryable, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom("avatar_sessions")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .where("status", "<>", "ended")
    .where("is_self_hosted", "=", false)
    .executeTakeFirstOrThrow();
  return count;
}

/** Number of sessions of all accounts that our own workers run or are to run. `viewersRender`: only those that began
 *  with viewers that render, or only the others. */
export async function countOnWorkers(database: Queryable, viewersRender?: boolean): Promise<number> {
  let query = onWorkers(database);
  if (viewersRender !== undefined) query = query.where("viewers_render", "=", viewersRender);
  const { count } = await query.executeTakeFirstOrThrow();
  return count;
}

/** Of these, those of the named models. */
export async function countModelsOnWorkers(database: Queryable, models: readonly string[]): Promise<number> {
  const { count } = await onWorkers(database).where("model", "in", models).executeTakeFirstOrThrow();
  return count;
}

/** Which sessions; absent fields mean any. */
export interface VacantScope {
  userId?: string;
  agentCode?: string;
  models?: readonly string[];
  /** Whether it began with viewers that render. */
  viewersRender?: boolean;
}

/** Id of the session on our workers that has waited longest for its user to return, or null. */
export async function findVacant(database: Queryable, scope: VacantScope): Promise<string | null> {
  let query = database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("vacant_since", "is not", null)
    .where("status", "=", "live")
    .where("is_self_hosted", "=", false);
  if (scope.userId !== undefined) query = query.where("user_id", "=", scope.userId);
  if (scope.agentCode !== undefined) query = query.where("agent_code", "=", scope.agentCode);
  if (scope.models !== undefined) query = query.where("model", "in", scope.models);
  if (scope.viewersRender !== undefined) query = query.where("viewers_render", "=", scope.viewersRender);
  const row = await query.orderBy("vacant_since").limit(1).executeTakeFirst();
  return row?.id ?? null;
}

function onWorkers(database: Queryable) {
  return database
    .selectFrom("avatar_sessions")
    .select((fields) => fields.fn.countAll<number>().as("count"))
    .where("status", "<>", "ended")
    .where("is_self_hosted", "=", false);
}

/** Whether a launch token has started a session. */
export async function wasTokenUsed(database: Queryable, launchTokenId: string): Promise<boolean> {
  const row = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("launch_token_id", "=", launchTokenId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ids of the sessions in a state that their workers last reported before `since`, longest silence first, at most
 *  `limit`. */
export async function listSilent(
  database: Queryable,
  status: "starting" | "live",
  { since, limit }: { since: Date; limit: number },
): Promise<string[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("is_self_hosted", "=", false)
    .where("status", "=", status)
    .where("last_seen_at", "<", since)
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Sessions with an earlier worker and a present dispatch from before `since`, and which no worker has accepted;
 *  oldest dispatch first, at most `limit`. */
export async function listUntaken(
  database: Queryable,
  { since, limit }: { since: Date; limit: number },
): Promise<{ id: string; dispatchNumber: number }[]> {
  return database
    .selectFrom("avatar_sessions")
    .select(["id", "dispatch_number as dispatchNumber"])
    .where("is_self_hosted", "=", false)
    .where("status", "=", "starting")
    .where("accepted_at", "is", null)
    .where("dispatch_number", ">", 1)
    .where("last_seen_at", "<", since)
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
}

/** Ended sessions with a portrait that is still stored, at most `limit`. */
export async function listKeptPortraits(
  database: Queryable,
  limit: number,
): Promise<{ id: string; portraitKey: string }[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select(["id", "portrait_key"])
    .where("status", "=", "ended")
    .where("portrait_key", "is not", null)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, portraitKey: row.portrait_key ?? "" }));
}
