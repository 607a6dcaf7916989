// Avatar sessions in PostgreSQL. Every function takes the database or a transaction; none checks rules.
import type { Selectable } from "kysely";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import type {
  AvatarSession,
  AvatarSessionStatus,
  SessionMoves,
  SessionOrigin,
  SessionReports,
} from "./avatar-session.ts";

export interface NewAvatarSession extends SessionOrigin {
  launchTokenId: string | null;
  sealedLivekitToken: Buffer | null;
}

/** What a worker's report changes. The status is not among it: only `moveAvatarSession` writes it. */
export type ReportPatch = Partial<SessionReports>;

/** What a move changes besides the status. */
export type MovePatch = Partial<SessionReports & SessionMoves>;

/** Inserts a session in state `starting`, its first dispatch pending. For `session-machine.ts` alone. */
export async function insertAvatarSession(database: Queryable, session: NewAvatarSession): Promise<AvatarSession> {
  const row = await database
    .insertInto("avatar_sessions")
    .values({
      id: session.id,
      user_id: session.userId,
      secret_id: session.secretId,
      launch_token_id: session.launchTokenId,
      transaction_id: session.transactionId,
      agent_code: session.agentCode,
      model: session.model,
      family: session.family,
      mode: session.mode,
      portrait_key: session.portraitKey,
      is_self_hosted: session.isSelfHosted,
      is_hosted: session.isHosted,
      end_user_id: session.endUserId,
      remembers_visitor: session.remembersVisitor,
      has_conversation: session.hasConversation,
      viewers_may_render: session.viewersMayRender,
      viewers_render: session.viewersRender,
      listens: session.listens,
      greeting: session.greeting,
      emotion: session.emotion,
      manner: session.manner,
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

/** Writes what a worker reported about a session that has not ended. */
export async function updateAvatarSession(database: Queryable, id: string, patch: ReportPatch): Promise<void> {
  if (Object.keys(patch).length === 0) return;
  await database
    .updateTable("avatar_sessions")
    .set(toColumns(patch))
    .where("id", "=", id)
    .where("status", "<>", "ended")
    .execute();
}

/** Moves a session from one state to another; `ended` also forgets the caller's join token. For `session-machine.ts`
 *  alone. Throws if the session is not in state `from`. */
export async function moveAvatarSession(
  database: Queryable,
  id: string,
  { from, to, patch }: { from: AvatarSessionStatus; to: AvatarSessionStatus; patch: MovePatch },
): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable("avatar_sessions")
    .set({ ...toColumns(patch), status: to, ...(to === "ended" && { sealed_livekit_token: null }) })
    .where("id", "=", id)
    .where("status", "=", from)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new Error(`avatar session ${id} is not in state ${from}`);
}

/** Deletes a session that never started. For `session-machine.ts` alone. */
export async function deleteAvatarSession(database: Queryable, id: string): Promise<void> {
  await database.deleteFrom("avatar_sessions").where("id", "=", id).execute();
}

/** Records that the avatar of an ended session has left its room. Later calls change nothing. */
export async function markLeft(database: Queryable, id: string, at: Date): Promise<void> {
  await database
    .updateTable("avatar_sessions")
    .set({ left_at: at })
    .where("id", "=", id)
    .where("status", "=", "ended")
    .where("left_at", "is", null)
    .execute();
}

/** Clears the portrait of a session; the caller deletes the stored object. */
export async function forgetPortrait(database: Queryable, id: string): Promise<void> {
  await database.updateTable("avatar_sessions").set({ portrait_key: null }).where("id", "=", id).execute();
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

/** A session from its row. */
export function toAvatarSession(row: Selectable<Tables["avatar_sessions"]>): AvatarSession {
  return {
    id: row.id,
    userId: row.user_id,
    secretId: row.secret_id,
    transactionId: row.transaction_id,
    agentCode: row.agent_code,
    model: row.model,
    family: row.family,
    mode: row.mode,
    portraitKey: row.portrait_key,
    isSelfHosted: row.is_self_hosted,
    isHosted: row.is_hosted,
    endUserId: row.end_user_id,
    hasConversation: row.has_conversation,
    remembersVisitor: row.remembers_visitor,
    viewersMayRender: row.viewers_may_render,
    viewersRender: row.viewers_render,
    listens: row.listens,
    greeting: row.greeting,
    emotion: row.emotion,
    manner: row.manner,
    livekitUrl: row.livekit_url,
    roomName: row.room_name,
    avatarIdentity: row.avatar_identity,
    status: row.status,
    endReason: row.end_reason,
    dispatchNumber: row.dispatch_number,
    lostWorkers: row.lost_workers,
    lastHeartbeatSeq: row.last_beat_seq,
    lastMessageSeq: row.last_message_seq,
    announcedAt: row.announced_at,
    mind: row.mind,
    chatDeciseconds: row.chat_deciseconds,
    cameraDeciseconds: row.camera_deciseconds,
    earlierDeciseconds: row.earlier_deciseconds,
    servedDeciseconds: row.served_deciseconds,
    earlierViewerDeciseconds: row.earlier_viewer_deciseconds,
    viewerDeciseconds: row.viewer_deciseconds,
    lastSeenAt: row.last_seen_at,
    acceptedAt: row.accepted_at,
    createdAt: row.created_at,
    liveAt: row.live_at,
    endedAt: row.ended_at,
    credits: row.credits,
    leftAt: row.left_at,
    vacantSince: row.vacant_since,
    roomParticipants: row.room_participants,
    roomCreatedAt: row.room_created_at,
    openSegments: row.open_segments,
  };
}

/** Columns of a patch; a field that is undefined stays as it is. */
function toColumns(patch: MovePatch) {
  return {
    dispatch_number: patch.dispatchNumber,
    lost_workers: patch.lostWorkers,
    last_beat_seq: patch.lastHeartbeatSeq,
    earlier_deciseconds: patch.earlierDeciseconds,
    served_deciseconds: patch.servedDeciseconds,
    earlier_viewer_deciseconds: patch.earlierViewerDeciseconds,
    viewer_deciseconds: patch.viewerDeciseconds,
    chat_deciseconds: patch.chatDeciseconds,
    camera_deciseconds: patch.cameraDeciseconds,
    mind: patch.mind,
    last_seen_at: patch.lastSeenAt,
    accepted_at: patch.acceptedAt,
    live_at: patch.liveAt,
    ended_at: patch.endedAt,
    end_reason: patch.endReason,
    credits: patch.credits,
    left_at: patch.leftAt,
    vacant_since: patch.vacantSince,
    room_participants: patch.roomParticipants,
    room_created_at: patch.roomCreatedAt,
    open_segments: patch.openSegments && JSON.stringify(patch.openSegments),
  };
}
