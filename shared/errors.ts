// The one error type that modules throw, and the closed table of codes clients act on. HTTP statuses live in
// `program/http/error-answer.ts`.

/** Every error code of the contract that this service can answer. */
export const ERROR_CODES = [
  "MISSING_PARAM",
  "VALIDATION_ERROR",
  "VIDEO_INPUT_NOT_SUPPORTED",
  "MODEL_NOT_DOWNLOADABLE",
  "MODEL_NOT_OFFERED",
  "DOWNLOAD_FAILED",
  "MISSING_AUTH",
  "UNAUTHORIZED",
  "INSUFFICIENT_BALANCE",
  "PAYWALL",
  "PLAN_REQUIRED",
  "AGENT_LIMIT_REACHED",
  "CONCURRENCY_LIMIT_REACHED",
  "ACCOUNT_SUSPENDED",
  "RUNTIME_SUSPENDED",
  "SESSION_DURATION_LIMIT",
  "SECRET_REVEAL_CONSOLE_ONLY",
  "FORBIDDEN",
  "NOT_FOUND",
  "MODEL_ARTIFACT_NOT_READY",
  "VOICE_NOT_FOUND",
  "MODEL_NOT_GENERATED",
  "AGENT_NOT_READY",
  "CONFLICT",
  "BUILD_IN_PROGRESS",
  "BUILD_CONCURRENCY",
  "BUILD_DAILY_CAP",
  "AGENT_DELETED",
  "AGENT_PURGED",
  "ENDPOINT_RETIRED",
  "FILE_TOO_LARGE",
  "UNSUPPORTED_TYPE",
  "MODEL_SUBJECT_MISMATCH",
  "MODEL_PREREQUISITE_MISSING",
  "IMAGE_FACE_UNSUITABLE",
  "UNPROCESSABLE",
  "KB_EMPTY",
  "RATE_LIMITED",
  "INTERNAL_ERROR",
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
  "SERVICE_UNAVAILABLE",
  "MODEL_NOT_YET_AVAILABLE",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ServiceErrorOptions {
  /** Extra fields for the caller (shown in the answer's `error` object), for example `upgrade_url`. Never secrets. */
  details?: Record<string, unknown>;
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** What went wrong underneath: logged, never shown. */
  cause?: unknown;
}

/** An error with a code and a message that the caller may see. `CONFLICT` and `UNPROCESSABLE` are VALIDATION_ERROR
 *  on the wire, with status 409 and 422. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** True for errors of this service's own making; narrows the type. */
export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof ServiceError;
}
