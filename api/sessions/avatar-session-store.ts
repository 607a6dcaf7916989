// Avatar sessions in PostgreSQL. Every function takes the database or a transaction; none decides anything.
import type { Selectable } from "kysely";
import type { EndReason } from "../../shared/runtime-api.ts";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { AvatarSession } from "./avatar-session.ts";

export type NewAvatarSession = Pick<
  AvatarSession,
  | "id"
  | "userId"
  | "secretId"
  | "agentCode"
  | "model"
  | "family"
  | "mode"
  | "portraitKey"
  | "isSelfHosted"
  | "hasConversation"
  | "livekitUrl"
  | "roomName"
  | "avatarIdentity"
  | "createdAt"
> & { launchTokenId: string | null; sealedLivekitToken: Buffer | null };

type Patch = Partial<
  Pick<
    AvatarSession,
    | "status"
    | "dispatchNumber"
    | "lostWorkers"
    | "lastBeatSeq"
    | "earlierDeciseconds"
    | "servedDeciseconds"
    | "lastSeenAt"
    | "acceptedAt"
    | "liveAt"
  >
>;

/** Inserts a session in state `starting`, its first dispatch pending. */
export async function insertAvatarSession(database: Queryable, session: NewAvatarSession): Promise<AvatarSession> {
  const row = await database
    .insertInto("avatar_sessions")
    .values({
      id: session.id,
      user_id: session.userId,
      secret_id: session.secretId,
      launch_token_id: session.launchTokenId,
      agent_code: session.agentCode,
      model: session.model,
      family: session.family,
      mode: session.mode,
      portrait_key: session.portraitKey,
      is_self_hosted: session.isSelfHosted,
      has_conversation: session.hasConversation,
      livekit_url: session.livekitUrl,
      room_name: session.roomName,
      avatar_identity: session.avatarIdentity,
      sealed_livekit_token: session.sealedLivekitToken,
      status: "starting",
      dispatch_number: 1,
      last_seen_at: session.createdAt,
      created_at: session.createdAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAvatarSession(row);
}

/** A session by id, or null. With `lock` its row is held until the transaction ends: every change of state takes it. */
export async function findAvatarSession(
  database: Queryable,
  id: string,
  options: { lock?: boolean } = {},
): Promise<AvatarSession | null> {
  let query = database.selectFrom("avatar_sessions").selectAll().where("id", "=", id);
  if (options.lock) query = query.forUpdate();
  const row = await query.executeTakeFirst();
  return row ? toAvatarSession(row) : null;
}

export interface RunningKey {
  userId: string;
  livekitUrl: string;
  roomName: string;
  avatarIdentity: string;
}

/** The session that already serves this place, if it has not ended. */
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

/** Concurrency slots that an account holds. Self-hosted sessions take none. */
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

/** Whether a launch token has started a session before. */
export async function wasTokenUsed(database: Queryable, launchTokenId: string): Promise<boolean> {
  const row = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where("launch_token_id", "=", launchTokenId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Ids of sessions from which nothing was heard since the given times, at most `limit`, longest silent first. */
export async function listSilent(
  database: Queryable,
  since: { starting: Date; live: Date; selfHosted: Date },
  limit: number,
): Promise<string[]> {
  const rows = await database
    .selectFrom("avatar_sessions")
    .select("id")
    .where((field) =>
      field.or([
        field.and([
          field("status", "=", "starting"),
          field("is_self_hosted", "=", false),
          field("last_seen_at", "<", since.starting),
        ]),
        field.and([
          field("status", "=", "live"),
          field("is_self_hosted", "=", false),
          field("last_seen_at", "<", since.live),
        ]),
        field.and([
          field("status", "<>", "ended"),
          field("is_self_hosted", "=", true),
          field("last_seen_at", "<", since.selfHosted),
        ]),
      ]),
    )
    .orderBy("last_seen_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/** Changes fields of a session that has not ended. */
export async function updateAvatarSession(database: Queryable, id: string, patch: Patch): Promise<void> {
  await database
    .updateTable("avatar_sessions")
    .set({
      status: patch.status,
      dispatch_number: patch.dispatchNumber,
      lost_workers: patch.lostWorkers,
      last_beat_seq: patch.lastBeatSeq,
      earlier_deciseconds: patch.earlierDeciseconds,
      served_deciseconds: patch.servedDeciseconds,
      last_seen_at: patch.lastSeenAt,
      accepted_at: patch.acceptedAt,
      live_at: patch.liveAt,
    })
    .where("id", "=", id)
    .where("status", "<>", "ended")
    .execute();
}

/** Ends a session for good and forgets the caller's join token. */
export async function markEnded(
  database: Queryable,
  id: string,
  end: { reason: EndReason; at: Date; credits: number },
): Promise<void> {
  await database
    .updateTable("avatar_sessions")
    .set({
      status: "ended",
      end_reason: end.reason,
      ended_at: end.at,
      credits: end.credits,
      sealed_livekit_token: null,
    })
    .where("id", "=", id)
    .execute();
}

/** Lets the launch token of a session start another one: for launches that were refused after they had been admitted. */
export async function releaseLaunchToken(database: Queryable, id: string): Promise<void> {
  await database.updateTable("avatar_sessions").set({ launch_token_id: null }).where("id", "=", id).execute();
}

/** The encrypted join token of a session, or null once it has ended. */
export async function findSealedToken(database: Queryable, id: string): Promise<Buffer | null> {
  const row = await database
    .selectFrom("avatar_sessions")
    .select("sealed_livekit_token")
    .where("id", "=", id)
    .executeTakeFirst();
  return row?.sealed_livekit_token ?? null;
}

function toAvatarSession(row: Selectable<Tables["avatar_sessions"]>): AvatarSession {
  return {
    id: row.id,
    userId: row.user_id,
    secretId: row.secret_id,
    agentCode: row.agent_code,
    model: row.model,
    family: row.family,
    mode: row.mode,
    portraitKey: row.portrait_key,
    isSelfHosted: row.is_self_hosted,
    hasConversation: row.has_conversation,
    livekitUrl: row.livekit_url,
    roomName: row.room_name,
    avatarIdentity: row.avatar_identity,
    status: row.status,
    endReason: row.end_reason,
    dispatchNumber: row.dispatch_number,
    lostWorkers: row.lost_workers,
    lastBeatSeq: row.last_beat_seq,
    earlierDeciseconds: row.earlier_deciseconds,
    servedDeciseconds: row.served_deciseconds,
    lastSeenAt: row.last_seen_at,
    acceptedAt: row.accepted_at,
    createdAt: row.created_at,
    liveAt: row.live_at,
    endedAt: row.ended_at,
    credits: row.credits,
  };
}
