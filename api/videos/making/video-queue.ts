// Queues the jobs that make videos. Their key allows one job for a video: what it fetches, then its film.
import type { QueryExecutorProvider } from "kysely";
import { z } from "zod";
import { addJob } from "../../kernel/jobs/add-job.ts";
import type { Video } from "../video.ts";

/** Names of the jobs in the database, where earlier versions left films too. */
export const FETCH_RECORDING = "fetch-recording";
export const RENDER_VIDEO = "render-video";
/** Waits of 3, 7 and 20 s between the attempts. */
const MAX_ATTEMPTS = 4;

export const videoPayloadSchema = z.object({ videoId: z.string() });

/** Queues the film of a video, in the transaction that wrote it. */
export function enqueueFilm(database: QueryExecutorProvider, video: Pick<Video, "id" | "userId">): Promise<void> {
  return enqueue(database, RENDER_VIDEO, video);
}

/** Queues the download of a video's recording, which queues its film. */
export function enqueueRecording(database: QueryExecutorProvider, video: Pick<Video, "id" | "userId">): Promise<void> {
  return enqueue(database, FETCH_RECORDING, video);
}

function enqueue(database: QueryExecutorProvider, name: string, { id, userId }: Pick<Video, "id" | "userId">) {
  return addJob(database, name, { videoId: id }, { key: `video:${id}`, maxAttempts: MAX_ATTEMPTS, owner: userId });
}
