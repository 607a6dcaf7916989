// A talking video: a film of an agent that says a text or plays a recording.
//
// States and all moves:
//   processing  accepted and paid for; waits for a job (first one that fetches its recording, if it has
//               one, then one that films), or is being made                   -> completed, failed
//   completed   the film is stored; what was charged too much is refunded
//   failed      refunded in full; the message says why
// When its agent is deleted, a video in `processing` fails, and the film of a completed one is deleted.
import type { ModelFamily } from "../../shared/models.ts";
import type { CanvasSize } from "../../src/face/figure/canvas-sizes.ts";

export const VIDEO_STATUSES = ["processing", "completed", "failed"] as const;
export type VideoStatus = (typeof VIDEO_STATUSES)[number];

/** What is to be said, until it has been filmed. */
export type VideoInput = { type: "text"; text: string; voiceId: string | null } | RecordingInput;

/** Recorded speech at a public URL. */
export interface RecordingInput {
  type: "audio";
  url: string;
  /** What the face shows meanwhile, as `formatExpression` writes it; absent if nothing is set. */
  emotion?: string;
  /** The object that has it, once it is fetched. */
  key?: string;
}

export interface Video {
  /** `vid_` and 20 hex digits. */
  id: string;
  userId: string;
  agentId: string;
  agentCode: string;
  family: ModelFamily;
  /** As the caller named it. */
  model: string;
  status: VideoStatus;
  /** 0 to 1. */
  progress: number;
  /** Null once the video is completed or failed. */
  input: VideoInput | null;
  /** Credits per started minute. */
  rateCredits: number;
  /** Charged in the end; null unless completed. */
  credits: number | null;
  /** Length of the film; null until it is made. */
  durationMs: number | null;
  /** Canvas that the caller chose; null: that of the agent. */
  canvas: CanvasSize | null;
  /** Size of the film; null until it is made. */
  widthPx: number | null;
  heightPx: number | null;
  /** Pixels of the film for each pixel of the portrait; null unless it was rendered for the film. */
  enlargement: number | null;
  /** Object of the `.imx` that was baked for the film's canvas. */
  bundleKey: string | null;
  hasSubtitles: boolean;
  errorMessage: string | null;
  createdAt: Date;
  /** When its film went with its agent. */
  deletedAt: Date | null;
}

/** Longest film. Source: the contract. */
export const MAX_VIDEO_SECONDS = 120;
/** Source: the contract. */
export const MAX_TEXT_CHARACTERS = 5_000;
/** Minutes that are charged up front: the longest film. */
export const UPFRONT_MINUTES = MAX_VIDEO_SECONDS / 60;

/** Object of a video's film. */
export function filmKey(id: string): string {
  return `videos/${id}.mp4`;
}

/** Object of a video's recording, from when it is fetched until the video has ended. */
export function recordingKey(id: string): string {
  return `video-inputs/${id}`;
}

/** Object of a video's subtitles. */
export function subtitlesKey(id: string): string {
  return `videos/${id}.vtt`;
}

/** Reference of a video's charge in the ledger. */
export function chargeReference(id: string): string {
  return `video:${id}`;
}

/** Price of a film, in credits: every started minute counts. */
export function priceOf({ rateCredits }: Pick<Video, "rateCredits">, durationMs: number): number {
  return rateCredits * Math.min(UPFRONT_MINUTES, Math.max(1, Math.ceil(durationMs / 60_000)));
}
