// Services of the rules and jobs of talking videos. Built once, in `videos-module.ts`.
import type { ModelFamily } from "../../shared/models.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import type { BillingLinks } from "../accounts/credits/billing-links.ts";
import type { Gallery } from "../agents/portraits/gallery.ts";
import type { Baker } from "../agents/portraits/portrait-process.ts";
import type { Kernel } from "../kernel/kernel.ts";

/** How a video ended. */
export const VIDEO_RESULTS = ["completed", "failed"] as const;
export type VideoResult = (typeof VIDEO_RESULTS)[number];

/** Times and priorities of videos. */
export interface VideoPolicies {
  /** Scheduling priority of the processes that make films, 0 (as the api) to 19 (what all others leave over). */
  filmNiceness: number;
  /** How long a request with `wait` blocks. */
  waitMs: number;
  /** Longest download of a recording. */
  fetchTimeoutMs: number;
}

export interface VideoServices
  extends Pick<
    Kernel,
    "config" | "database" | "events" | "storage" | "fileLinks" | "outgoing" | "notifications" | "logger" | "now"
  > {
  billingLinks: BillingLinks;
  /** Bakes bundles for canvases that callers choose: what it needs to know of a portrait. */
  portraits: { gallery: Gallery; baker: Baker };
  /** Families that callers may request. */
  offeredModels: readonly ModelFamily[];
  /** Speaks texts. */
  voice: Voice;
  policies: VideoPolicies;
  /** Counts a video on `/metrics`. */
  countVideo(result: VideoResult): void;
}
