// Refuses orders of films where nothing can write them.
import { isEngineError } from "../../../src/engine-error.ts";
import { findMediaTool } from "../../../src/media/media-tool.ts";
import { toServiceError } from "../to-service-error.ts";

/** Throws SERVICE_UNAVAILABLE if there is no media program. */
export function requireMediaProgram({ ffmpegPath }: { ffmpegPath: string | undefined }): void {
  try {
    findMediaTool({ ffmpegPath });
  } catch (error) {
    throw isEngineError(error) ? toServiceError(error) : error;
  }
}
