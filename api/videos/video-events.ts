// Domain events of talking videos.
import type { VideoView } from "./video-views.ts";

interface VideoEvent {
  userId: string;
  agentCode: string;
  /** The video as its owner reads it. */
  video: VideoView;
  at: Date;
}

declare module "../kernel/events/events.ts" {
  interface DomainEvents {
    /** A film can be fetched. */
    "video.completed": VideoEvent;
    /** A film could not be made, and was refunded. */
    "video.failed": VideoEvent;
  }
}
