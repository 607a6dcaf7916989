// What callers are told when the process of a voice has no result.
import { isTaskError } from "../child-process/task-error.ts";
import { EngineError } from "../engine-error.ts";

/** An EngineError for a TaskError; any other error as it is. */
export function toVoiceError(cause: unknown): unknown {
  if (!isTaskError(cause)) return cause;
  switch (cause.reason) {
    case "busy":
      return new EngineError("unavailable", "Too many sentences are waiting for the voice. Try again.", { cause });
    case "closed":
      return new EngineError("unavailable", "The voice is closed.", { cause });
    case "timeout":
      return new EngineError("timeout", "The voice did not answer in time. Try again.", { cause });
    default:
      return new EngineError("program-failed", "The voice process failed.", { cause });
  }
}
