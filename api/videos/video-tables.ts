// Table of talking videos, as created by migration 0034.
import type { ColumnType, Generated } from "kysely";
import type { ModelFamily } from "../../shared/models.ts";
import type { VideoInput, VideoStatus } from "./video.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    videos: {
      id: string;
      user_id: string;
      agent_id: string;
      agent_code: string;
      family: ModelFamily;
      /** As the caller named it. */
      model: string;
      status: VideoStatus;
      progress: Generated<number>;
      /** Written as JSON text. Null once the video is completed or failed. */
      input: ColumnType<VideoInput | null, string, string | null>;
      /** Credits per started minute. */
      rate_credits: number;
      /** Charged in the end. */
      credits: number | null;
      duration_ms: number | null;
      canvas_width_px: number | null;
      canvas_height_px: number | null;
      width_px: number | null;
      height_px: number | null;
      enlargement: number | null;
      bundle_key: string | null;
      has_subtitles: Generated<boolean>;
      error_message: string | null;
      created_at: Date;
      ended_at: Date | null;
      /** When the film went with its agent. */
      deleted_at: Date | null;
    };
  }
}
