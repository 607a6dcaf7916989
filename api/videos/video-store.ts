// Talking videos in PostgreSQL.
import { type Selectable, sql, type Transaction } from "kysely";
import type { Queryable, Tables } from "../kernel/database/database.ts";
import type { Video, VideoStatus } from "./video.ts";
import "./video-tables.ts";

/** Channel of `pg_notify` on which the id of a video is sent when it ends. */
export const VIDEO_CHANNEL = "video_ended";

export type NewVideo = Pick<
  Video,
  "id" | "userId" | "agentId" | "agentCode" | "family" | "model" | "rateCredits" | "createdAt"
> & { input: NonNullable<Video["input"]>; canvas?: Video["canvas"] };

/** Inserts a video that is processing. */
export async function insertVideo(transaction: Transaction<Tables>, video: NewVideo): Promise<void> {
  await transaction
    .insertInto("videos")
    .values({
      id: video.id,
      user_id: video.userId,
      agent_id: video.agentId,
      agent_code: video.agentCode,
      family: video.family,
      model: video.model,
      status: "processing",
      input: JSON.stringify(video.input),
      rate_credits: video.rateCredits,
      canvas_width_px: video.canvas?.widthPx ?? null,
      canvas_height_px: video.canvas?.heightPx ?? null,
      created_at: video.createdAt,
    })
    .execute();
}

/** A video by its id; null if there is none. With `lock`, locked until the transaction ends. */
export async function findVideo(
  database: Queryable,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Video | null> {
  const query = database.selectFrom("videos").selectAll().where("id", "=", id);
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst();
  return row ? toVideo(row) : null;
}

export interface VideoFilter {
  /** Absent: any. */
  agentCode?: string;
  status?: VideoStatus;
  limit: number;
  offset: number;
}

/** One page of an account's videos, newest first, and the number of videos in all pages. Videos that were deleted with
 *  their agent are left out. */
export async function listVideos(
  database: Queryable,
  userId: string,
  { agentCode, status, limit, offset }: VideoFilter,
): Promise<{ videos: Video[]; total: number }> {
  let query = database.selectFrom("videos").where("user_id", "=", userId).where("deleted_at", "is", null);
  if (agentCode !== undefined) query = query.where("agent_code", "=", agentCode);
  if (status !== undefined) query = query.where("status", "=", status);
  const rows = await query
    .selectAll()
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  const { total } = await query.select((fields) => fields.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
  return { videos: rows.map(toVideo), total };
}

/** Notes how far a video is. Returns false if it is no longer processing. */
export async function noteProgress(database: Queryable, id: string, progress: number): Promise<boolean> {
  return isChanged(await whileProcessing(database, id).set({ progress }).executeTakeFirst());
}

/** Notes what is known of a film before it is stored: a film in storage is complete. Returns false if the video is no
 *  longer processing. */
export async function noteFilm(
  database: Queryable,
  id: string,
  film: Pick<Video, "durationMs" | "hasSubtitles"> & Partial<Pick<Video, "widthPx" | "heightPx" | "enlargement">>,
): Promise<boolean> {
  const { durationMs, hasSubtitles, widthPx, heightPx, enlargement } = film;
  const size = { width_px: widthPx, height_px: heightPx, enlargement };
  const values = { duration_ms: durationMs, has_subtitles: hasSubtitles, ...size, progress: 1 };
  return isChanged(await whileProcessing(database, id).set(values).executeTakeFirst());
}

/** Notes that a video's recording is fetched. Returns false if the video is no longer processing. */
export async function noteRecording(database: Queryable, id: string, input: NonNullable<Video["input"]>) {
  return isChanged(
    await whileProcessing(database, id)
      .set({ input: JSON.stringify(input) })
      .executeTakeFirst(),
  );
}

/** Notes the bundle that is baked for a video's canvas, before it is stored. Returns false if the video is no longer
 *  processing. */
export async function noteBundle(database: Queryable, id: string, key: string): Promise<boolean> {
  return isChanged(await whileProcessing(database, id).set({ bundle_key: key }).executeTakeFirst());
}

/** How much a portrait was enlarged for an agent's bundle, by the film that it was baked for; null if there is none. */
export async function findEnlargement(database: Queryable, agentId: string, bundleKey: string): Promise<number | null> {
  const row = await database
    .selectFrom("videos")
    .select("enlargement")
    // Both for the index; the bundle belongs to this agent.
    .where("agent_id", "=", agentId)
    .where("deleted_at", "is", null)
    .where("bundle_key", "=", bundleKey)
    .where("enlargement", "is not", null)
    .executeTakeFirst();
  return row?.enlargement ?? null;
}

/** Ends a video that is processing and wakes those who wait for it. */
export async function endVideo(
  transaction: Transaction<Tables>,
  id: string,
  end: { status: "completed"; credits: number } | { status: "failed"; errorMessage: string },
  at: Date,
): Promise<void> {
  const outcome = end.status === "completed" ? { credits: end.credits } : { error_message: end.errorMessage };
  await whileProcessing(transaction, id)
    .set({ status: end.status, input: null, ended_at: at, ...outcome })
    .execute();
  await sql`select pg_notify(${VIDEO_CHANNEL}, ${id})`.execute(transaction);
}

/** Ids of an account's videos of the deleted agent with this code that still have files or are processing. A deleted
 *  video may have left a bundle, which the agent's other videos use. */
export async function listOfDeletedAgent(database: Queryable, userId: string, agentCode: string): Promise<string[]> {
  const rows = await database
    .selectFrom("videos")
    .innerJoin("agents", "agents.id", "videos.agent_id")
    .select("videos.id")
    .where("videos.user_id", "=", userId)
    .where("videos.agent_code", "=", agentCode)
    .where((is) => is.or([is("videos.deleted_at", "is", null), is("videos.bundle_key", "is not", null)]))
    .where("agents.deleted_at", "is not", null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Notes that a video's files were deleted. */
export async function noteDeleted(database: Queryable, id: string, at: Date): Promise<void> {
  await database.updateTable("videos").set({ deleted_at: at }).where("id", "=", id).execute();
}

/** Ids of videos that are processing although their job is gone: it was interrupted too often. */
export async function listOrphanedVideos(database: Queryable): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select v.id from videos v
    where v.status = 'processing' and not exists (
      select from graphile_worker.jobs j
      where j.key = 'video:' || v.id and (j.attempts < j.max_attempts or j.locked_at is not null)
    )`.execute(database);
  return rows.map(({ id }) => id);
}

function whileProcessing(database: Queryable, id: string) {
  return database.updateTable("videos").where("id", "=", id).where("status", "=", "processing");
}

function isChanged(result: { numUpdatedRows: bigint } | undefined): boolean {
  return (result?.numUpdatedRows ?? 0n) > 0n;
}

function toVideo(row: Selectable<Tables["videos"]>): Video {
  return {
    id: row.id,
    userId: row.user_id,
    agentId: row.agent_id,
    agentCode: row.agent_code,
    family: row.family,
    model: row.model,
    status: row.status,
    progress: row.progress,
    input: row.input,
    rateCredits: row.rate_credits,
    credits: row.credits,
    durationMs: row.duration_ms,
    canvas:
      row.canvas_width_px && row.canvas_height_px
        ? { widthPx: row.canvas_width_px, heightPx: row.canvas_height_px }
        : null,
    widthPx: row.width_px,
    heightPx: row.height_px,
    enlargement: row.enlargement,
    bundleKey: row.bundle_key,
    hasSubtitles: row.has_subtitles,
    errorMessage: row.error_message,
    createdAt: row.created_at,
    deletedAt: row.deleted_at,
  };
}
