// Ends of videos: the film is stored, or could not be made. Each settles the charge and tells the owner, once.
import type { Transaction } from "kysely";
import { refundCharge } from "../accounts/credits/ledger.ts";
import type { Tables } from "../kernel/database/database.ts";
import { chargeReference, filmKey, priceOf, recordingKey, subtitlesKey, UPFRONT_MINUTES, type Video } from "./video.ts";
import type { VideoServices } from "./video-services.ts";
import { endVideo, findVideo, listOrphanedVideos } from "./video-store.ts";
import { viewVideo } from "./video-views.ts";
import "./video-events.ts";

const INTERRUPTED = "The video was interrupted too often. Try again.";

type SettlingServices = Pick<
  VideoServices,
  "database" | "events" | "fileLinks" | "now" | "storage" | "logger" | "countVideo"
>;

/** Completes a video with a stored film, and refunds what the film did not cost. If the video has ended meanwhile,
 *  discards the film instead. */
export async function completeVideo(services: SettlingServices, id: string): Promise<void> {
  const isEnded = await settle(services, id, "video.completed", async (transaction, video, at) => {
    const credits = priceOf(video, video.durationMs ?? 0);
    const unused = video.rateCredits * UPFRONT_MINUTES - credits;
    if (unused > 0) {
      const { userId } = video;
      const reference = chargeReference(id);
      await refundCharge(transaction, { userId, chargeReference: reference, amountCredits: unused, at });
    }
    await endVideo(transaction, id, { status: "completed", credits }, at);
  });
  if (!isEnded) return discardFilm(services, id);
  services.countVideo("completed");
  await deleteFiles(services, [recordingKey(id)]);
}

/** Deletes the files of a video that has ended, unless they are in use: another attempt may have completed it. Attempts
 *  overlap if the recovery takes a living process for a dead one. */
export async function discardFilm(services: SettlingServices, id: string): Promise<void> {
  const ended = await findVideo(services.database, id);
  if (ended?.status !== "completed") await deleteVideoFiles(services, id);
}

/** Fails a video with a full refund, and deletes its files. Does nothing if it has ended. */
export async function failVideo(services: SettlingServices, id: string, errorMessage: string): Promise<void> {
  const isEnded = await settle(services, id, "video.failed", async (transaction, { userId }, at) => {
    await refundCharge(transaction, { userId, chargeReference: chargeReference(id), at });
    await endVideo(transaction, id, { status: "failed", errorMessage }, at);
  });
  if (!isEnded) return;
  services.countVideo("failed");
  await deleteVideoFiles(services, id);
}

/** Fails videos that have lost their job. For the job runner's recovery. */
export async function failOrphanedVideos(services: SettlingServices): Promise<void> {
  for (const id of await listOrphanedVideos(services.database)) await failVideo(services, id, INTERRUPTED);
}

/** Removes a video's files. Never throws: one that cannot be removed is logged and stays. */
export function deleteVideoFiles(services: Pick<VideoServices, "storage" | "logger">, id: string): Promise<void> {
  return deleteFiles(services, [filmKey(id), subtitlesKey(id), recordingKey(id)]);
}

async function deleteFiles(
  { storage, logger }: Pick<VideoServices, "storage" | "logger">,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    await storage.delete(key).catch((error: unknown) => {
      logger.warn({ err: error, key }, "file of a video could not be removed");
    });
  }
}

/** Ends a video that is processing, in one transaction with its event. Returns false if it has ended before. */
async function settle(
  { database, events, fileLinks, now }: SettlingServices,
  id: string,
  event: "video.completed" | "video.failed",
  end: (transaction: Transaction<Tables>, video: Video, at: Date) => Promise<void>,
): Promise<boolean> {
  const at = new Date(now());
  return database.transaction().execute(async (transaction) => {
    const video = await findVideo(transaction, id, { lock: true });
    if (video?.status !== "processing") return false;
    await end(transaction, video, at);
    const ended = await findVideo(transaction, id);
    if (!ended) return false;
    const { userId, agentCode } = ended;
    await events.publish(transaction, event, { userId, agentCode, video: viewVideo(ended, fileLinks), at });
    return true;
  });
}
