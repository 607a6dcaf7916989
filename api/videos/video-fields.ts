// Descriptions of the fields of talking videos.
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const VIDEO_FIELDS: FieldDescriptions = {
  job_id: "Id of the video",
  video_url: "Link to the MP4, which does not expire; present once completed",
  subtitles_url: "Link to the subtitles (WebVTT), if the text is known; present once completed",
  duration_seconds: "Length of the video in seconds; present once completed",
  width: "Width of the video in pixels; present once completed",
  height: "Height of the video in pixels; present once completed",
  "VideosGetResponse.warnings": "What to know about the video, each with a code and a message",
  "VideosGenerateResponse.warnings": "What to know about the video, each with a code and a message",
  "TalkingVideo.warnings": "What to know about the video, each with a code and a message",
  credits_charged: "Credits charged in the end; present once completed",
  "VideosGetResponse.error": "Why the video failed; it was refunded in full",
  "VideosGenerateResponse.error": "Why the video failed; it was refunded in full",
  "TalkingVideo.error": "Why the video failed; it was refunded in full",
  "VideoError.message": "What went wrong, for people",
  "VideosGetResponse.progress": "Progress of the rendering, 0 to 1",
  "VideosGenerateResponse.progress": "Progress of the rendering, 0 to 1",
  "TalkingVideo.progress": "Progress of the rendering, 0 to 1",
  "videos.list.agent_code": "Only videos of this agent",
  "videos.list.status": "Only videos in this state",
  "GenerateVideo.model": "The agent's model to film, for example essence-2",
  "videos.generate.wait": "Wait up to 90 seconds for the end",
};
