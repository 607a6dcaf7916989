// Errors on their way between a page and its worker.
import { EngineError, isEngineError } from "../../../../shared/engine-error.ts";
import type { Problem } from "./render-messages.ts";

export function toProblem(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return { code: isEngineError(error) ? error.code : undefined, isRange: error instanceof RangeError, message };
}

export function fromProblem({ code, isRange, message }: Problem): Error {
  if (code) return new EngineError(code, message);
  return isRange ? new RangeError(message) : new Error(message);
}
