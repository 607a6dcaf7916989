// Talking videos as their owners read them.
import { z } from "zod";
import { type ApiWarning, warningSchema } from "../agents/api-warning.ts";
import type { FileLinks } from "../kernel/storage/file-links.ts";
import { filmKey, subtitlesKey, VIDEO_STATUSES, type Video } from "./video.ts";

/** From this enlargement on, a face looks softer than its film could show. */
const SOFT_ENLARGEMENT = 1.2;

/** Fields of a video; those of another status are absent. */
export const videoSchema = z.object({
  job_id: z.string(),
  status: z.enum(VIDEO_STATUSES),
  model: z.string(),
  agent_code: z.string(),
  progress: z.number(),
  video_url: z.string().optional(),
  subtitles_url: z.string().optional(),
  duration_seconds: z.number().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
  warnings: z.array(warningSchema).optional(),
  credits_charged: z.int().optional(),
  error: z.object({ message: z.string() }).meta({ id: "VideoError" }).optional(),
  created_at: z.iso.datetime(),
});

export type VideoView = z.infer<typeof videoSchema>;

/** The video with what its status has to show. Its links do not expire. */
export function viewVideo(video: Video, fileLinks: FileLinks): VideoView {
  const { id, status, durationMs, credits, errorMessage } = video;
  return {
    job_id: id,
    status,
    model: video.model,
    agent_code: video.agentCode,
    progress: status === "completed" ? 1 : Math.round(video.progress * 100) / 100,
    ...(status === "completed" && {
      video_url: fileLinks.linkTo(filmKey(id), { expiresInSeconds: null, filename: `${id}.mp4` }),
      ...(video.hasSubtitles && {
        subtitles_url: fileLinks.linkTo(subtitlesKey(id), { expiresInSeconds: null, filename: `${id}.vtt` }),
      }),
      duration_seconds: (durationMs ?? 0) / 1000,
      ...(video.widthPx && video.heightPx && { width: video.widthPx, height: video.heightPx }),
      ...(isSoft(video) && { warnings: [softWarning(video)] }),
      credits_charged: credits ?? 0,
    }),
    ...(status === "failed" && { error: { message: errorMessage ?? "" } }),
    created_at: video.createdAt.toISOString(),
  };
}

function isSoft({ enlargement }: Video): boolean {
  return (enlargement ?? 0) >= SOFT_ENLARGEMENT;
}

function softWarning({ enlargement, widthPx, heightPx }: Video): ApiWarning {
  const times = (enlargement ?? 0).toFixed(1);
  return {
    code: "PICTURE_TOO_SMALL",
    message: `The portrait is too small for ${widthPx} x ${heightPx}: it was enlarged ${times} times and looks soft. Use a larger portrait or a smaller resolution.`,
  };
}
