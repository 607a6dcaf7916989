// Refuses orders of films where nothing can write them.
import type { Config } from "../../../shared/config.ts";
import { isEngineError } from "../../../src/engine-error.ts";
import { findMediaTool } from "../../../src/media/media-tool.ts";
import { toServiceError } from "../to-service-error.ts";

/** Throws SERVICE_UNAVAILABLE if there is no media program. */
export function requireMediaProgram(config: Pick<Config, "FFMPEG_PATH">): void {
  try {
    findMediaTool({ ffmpegPath: config.FFMPEG_PATH });
  } catch (error) {
    throw isEngineError(error) ? toServiceError(error) : error;
  }
}
