// Turns errors into HTTP answers, for the api, the relay and the front. The only place that maps error codes to HTTP
// statuses.
import type { ErrorCode, ServiceError } from "../../shared/errors.ts";

/** Status of each code. Source: the contract's error table. */
export const ERROR_STATUSES: Readonly<Record<ErrorCode, number>> = Object.freeze({
  MISSING_PARAM: 400,
  VALIDATION_ERROR: 400,
  VIDEO_INPUT_NOT_SUPPORTED: 400,
  MODEL_NOT_DOWNLOADABLE: 400,
  MODEL_NOT_OFFERED: 400,
  DOWNLOAD_FAILED: 400,
  MISSING_AUTH: 401,
  UNAUTHORIZED: 401,
  INSUFFICIENT_BALANCE: 402,
  PAYWALL: 402,
  PLAN_REQUIRED: 403,
  AGENT_LIMIT_REACHED: 403,
  CONCURRENCY_LIMIT_REACHED: 403,
  ACCOUNT_SUSPENDED: 403,
  RUNTIME_SUSPENDED: 403,
  SESSION_DURATION_LIMIT: 403,
  SECRET_REVEAL_CONSOLE_ONLY: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  MODEL_ARTIFACT_NOT_READY: 404,
  VOICE_NOT_FOUND: 404,
  MODEL_NOT_GENERATED: 409,
  AGENT_NOT_READY: 409,
  CONFLICT: 409,
  BUILD_IN_PROGRESS: 409,
  BUILD_CONCURRENCY: 409,
  BUILD_DAILY_CAP: 409,
  AGENT_DELETED: 410,
  AGENT_PURGED: 410,
  ENDPOINT_RETIRED: 410,
  FILE_TOO_LARGE: 413,
  UNSUPPORTED_TYPE: 415,
  MODEL_SUBJECT_MISMATCH: 422,
  MODEL_PREREQUISITE_MISSING: 422,
  IMAGE_FACE_UNSUITABLE: 422,
  UNPROCESSABLE: 422,
  KB_EMPTY: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UPSTREAM_ERROR: 500,
  UPSTREAM_UNAVAILABLE: 502,
  SERVICE_UNAVAILABLE: 503,
  MODEL_NOT_YET_AVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
});

/** Codes that have another name on the wire: the contract has one code for all invalid input. */
const WIRE_CODES: Partial<Record<ErrorCode, ErrorCode>> = {
  CONFLICT: "VALIDATION_ERROR",
  UNPROCESSABLE: "VALIDATION_ERROR",
};

/** Default of `Retry-After` in seconds, by status. The contract requires the header on these statuses. */
const DEFAULT_RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 1, 503: 5 };

/** The contract's envelope. Extra fields of `error` are links and details for the caller. */
export interface ErrorEnvelope {
  error: { code: string; message: string; httpStatus: number; [extra: string]: unknown };
  status: "error";
  status_code: number;
}

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: ErrorEnvelope;
}

/** The answer for a ServiceError. `status` is for errors that have an HTTP status but no code of the contract. Never
 *  throws. */
export function toErrorAnswer(error: ServiceError, status = ERROR_STATUSES[error.code]): ErrorAnswer {
  const retryAfterSeconds = error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS[status];
  return {
    status,
    headers:
      retryAfterSeconds === undefined ? {} : { "Retry-After": String(Math.max(1, Math.ceil(retryAfterSeconds))) },
    body: {
      error: {
        ...error.details,
        code: WIRE_CODES[error.code] ?? error.code,
        message: error.message,
        httpStatus: status,
      },
      status: "error",
      status_code: status,
    },
  };
}
