// The durable job that fetches the recording of a video. It takes no place of a film: its server may be slow.
import { mayRetry, reasonOf } from "../../kernel/jobs/job-failure.ts";
import type { JobKind } from "../../kernel/jobs/job-runner.ts";
import { fetchToStorage } from "../../kernel/storage/fetch-to-storage.ts";
import { CATEGORY_LIMITS_BYTES } from "../../kernel/storage/file-kind.ts";
import type { FileLinks } from "../../kernel/storage/file-links.ts";
import { failVideo } from "../settle-video.ts";
import { type RecordingInput, recordingKey, type Video, type VideoInput } from "../video.ts";
import type { VideoServices } from "../video-services.ts";
import { findVideo, noteRecording } from "../video-store.ts";
import { enqueueFilm, FETCH_RECORDING, videoPayloadSchema } from "./video-queue.ts";

/** They mostly wait. */
const CONCURRENT_JOBS = 16;
/** Of one account: slow servers leave the rest to the others. */
const PER_ACCOUNT = 2;

/** Whether a recording must be fetched before the film: it is neither fetched nor a file of this installation. */
export function needsFetch(fileLinks: FileLinks, input: VideoInput): boolean {
  return input.type === "audio" && input.key === undefined && fileLinks.keyOf(input.url) === null;
}

/** The job kind. A URL that cannot be fetched is not tried again: its owner, who may be waiting, can ask again. */
export function fetchRecordingJob(services: VideoServices): JobKind {
  return {
    name: FETCH_RECORDING,
    concurrency: CONCURRENT_JOBS,
    perOwner: PER_ACCOUNT,
    async run(payload, context) {
      const { videoId } = videoPayloadSchema.parse(payload);
      const video = await findVideo(services.database, videoId);
      if (video?.status !== "processing" || video.input?.type !== "audio") return;
      try {
        await fetchRecording(services, video, video.input, context.signal);
      } catch (error) {
        if (mayRetry(error, context)) throw error;
        services.logger.warn({ err: error, videoId }, "recording of a video not fetched");
        await failVideo(services, videoId, reasonOf(error));
      }
    },
  };
}

async function fetchRecording(
  services: VideoServices,
  video: Video,
  input: RecordingInput,
  signal: AbortSignal,
): Promise<void> {
  const key = recordingKey(video.id);
  const { fetchTimeoutMs: timeoutMs } = services.policies;
  await fetchToStorage(services, input.url, key, { maxBytes: CATEGORY_LIMITS_BYTES.audio, timeoutMs, signal });
  const isNoted = await services.database.transaction().execute(async (transaction) => {
    if (!(await noteRecording(transaction, video.id, { ...input, key }))) return false;
    await enqueueFilm(transaction, video);
    return true;
  });
  // The video has ended meanwhile: its agent was deleted.
  if (!isNoted) await services.storage.delete(key);
}
