// Wires talking videos into the api: routes, the job that makes them, and their end with their agents.
import type { ModelFamily } from "../../shared/models.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { PageAgents } from "../agents/page-agents.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { FILM_NICENESS } from "../kernel/media/film-niceness.ts";
import type { Module } from "../kernel/module.ts";
import { deleteVideosJob, deleteVideosWithAgent } from "./delete-videos.ts";
import { fetchRecordingJob } from "./making/fetch-recording.ts";
import { filmReadyAgents, identityClipJob } from "./making/identity-clip.ts";
import { renderVideoJob } from "./making/render-job.ts";
import { failOrphanedVideos } from "./settle-video.ts";
import { VIDEO_FIELDS } from "./video-fields.ts";
import { videoRoutes } from "./video-routes.ts";
import { VIDEO_RESULTS, type VideoPolicies, type VideoServices } from "./video-services.ts";

/** The wait is the contract's. */
const VIDEO_POLICIES: VideoPolicies = { filmNiceness: FILM_NICENESS, waitMs: 90_000, fetchTimeoutMs: 60_000 };

export interface VideosModuleOptions extends Kernel {
  billingLinks: BillingLinks;
  portraits: VideoServices["portraits"];
  pageAgents: PageAgents;
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Speaks texts; closed by its owner, after the jobs. */
  voice: Voice;
  /** What differs from `VIDEO_POLICIES`. Tests share the machine with other tests and use their priority. */
  policies?: Partial<VideoPolicies>;
}

/** Builds the module and subscribes it to the deletion of agents. */
export function createVideosModule(options: VideosModuleOptions): Module {
  const services: VideoServices = {
    ...options,
    policies: { ...VIDEO_POLICIES, ...options.policies },
    logger: options.logger.child({ part: "videos" }),
    countVideo: options.metrics.counter("avatar_videos_total", "Talking videos that ended, by result.", {
      name: "result",
      values: VIDEO_RESULTS,
    }),
  };
  deleteVideosWithAgent(services.events);
  filmReadyAgents(services);
  return {
    routes: videoRoutes({ ...services, pageAgents: options.pageAgents }),
    fields: VIDEO_FIELDS,
    jobs: [fetchRecordingJob(services), renderVideoJob(services), deleteVideosJob(services), identityClipJob(services)],
    loops: [],
    recover: () => failOrphanedVideos(services),
    // The signal of the job runner ends a film that is being made.
    close: async () => undefined,
  };
}
