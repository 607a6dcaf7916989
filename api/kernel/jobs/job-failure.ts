// What a failed attempt of a job means: another attempt, or a reason for the owner.

import { type EngineErrorCode, isEngineError } from "../../../shared/engine-error.ts";
import { isServiceError } from "../../../shared/errors.ts";
import type { JobContext } from "./job-runner.ts";

/** Errors of the engine that may pass. */
const PASSING: readonly EngineErrorCode[] = ["unavailable", "timeout", "upstream-unavailable", "program-failed"];

/** Whether to retry a failed attempt: not after the last one, and not if the input is at fault. */
export function mayRetry(error: unknown, context: JobContext): boolean {
  if (context.signal.aborted) return true;
  if (isServiceError(error) && error.code !== "SERVICE_UNAVAILABLE") return false;
  if (isEngineError(error) && !PASSING.includes(error.code)) return false;
  return !context.isLastAttempt;
}

/** The error message for the owner. Internal errors appear in the log only. */
export function reasonOf(error: unknown): string {
  if (isServiceError(error)) return error.message;
  if (isEngineError(error) && error.code !== "program-failed") return error.message;
  return "An internal error occurred and was logged. Try again.";
}
