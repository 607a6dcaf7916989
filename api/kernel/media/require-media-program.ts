// Refuses orders of films where nothing can write them.
import { isEngineError } from "../../../shared/engine-error.ts";
import { findMediaTool } from "../../../src/signal/media/media-tool.ts";
import { toServiceError } from "../to-service-error.ts";

/** Throws SERVICE_UNAVAILABLE if there is no media program. */
export function requireMediaProgram({ ffmpegPath }: { ffmpegPath: string | undefined }): void {
  try {
    findMediaTool({ ffmpegPath });
  } catch (error) {
    throw isEngineError(error) ? toServiceError(error) : error;
  }
}
