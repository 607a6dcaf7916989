// What callers are told when a task process has no result.
import { EngineError } from "../../shared/engine-error.ts";
import { isTaskError } from "./task-error.ts";

/** An EngineError for a TaskError; any other error as it is. `part`: "voice"; `tasks`: "sentences". */
export function toEngineError(cause: unknown, part: string, tasks: string): unknown {
  if (!isTaskError(cause)) return cause;
  switch (cause.reason) {
    case "busy":
      return new EngineError("unavailable", `Too many ${tasks} are waiting for the ${part}. Try again.`, { cause });
    case "closed":
      return new EngineError("unavailable", `The ${part} is closed.`, { cause });
    case "timeout":
      return new EngineError("timeout", `The ${part} did not answer in time. Try again.`, { cause });
    default:
      return new EngineError("program-failed", `The ${part} process failed.`, { cause });
  }
}
