// The videos of a deleted agent go with it, in a job, because the transaction of the deletion holds other locks.
import { z } from "zod";
import type { Events } from "../kernel/events/events.ts";
import { addJob } from "../kernel/jobs/add-job.ts";
import type { JobKind } from "../kernel/jobs/job-runner.ts";
import { deleteVideoFiles, failVideo } from "./settle-video.ts";
import type { VideoServices } from "./video-services.ts";
import { findVideo, listOfDeletedAgent, noteDeleted } from "./video-store.ts";

const JOB_NAME = "delete-agent-videos";
const payloadSchema = z.object({ userId: z.string(), agentCode: z.string() });
const DELETED = "The video was deleted before it was made.";
const AGENT_DELETED = "The agent was deleted before the video was made.";

/** Deletes one video: its film, and its place in the list. One that is being made ends first, with a full refund. */
export async function deleteVideo(services: VideoServices, id: string): Promise<void> {
  await failVideo(services, id, DELETED);
  await deleteVideoFiles(services, id);
  await noteDeleted(services.database, id, new Date(services.now()));
}

/** Adds the job with each deletion of an agent, in its transaction. */
export function deleteVideosWithAgent(events: Events): void {
  events.on("agent.deleted", (transaction, { userId, agentCode }) =>
    addJob(transaction, JOB_NAME, { userId, agentCode }),
  );
}

/** The job: fails videos that are processing, which stops their rendering, and deletes films. Safe to repeat. */
export function deleteVideosJob(services: VideoServices): JobKind {
  return {
    name: JOB_NAME,
    concurrency: 1,
    async run(payload) {
      const { userId, agentCode } = payloadSchema.parse(payload);
      for (const id of await listOfDeletedAgent(services.database, userId, agentCode)) {
        await failVideo(services, id, AGENT_DELETED);
        await deleteVideoFiles(services, id);
        const video = await findVideo(services.database, id);
        if (video?.bundleKey) await services.storage.delete(video.bundleKey);
        await noteDeleted(services.database, id, new Date(services.now()));
      }
    },
  };
}
