// Turns answers into errors.
import {
  ApiError,
  type ApiErrorFields,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  FileTooLargeError,
  GoneError,
  InsufficientBalanceError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableError,
  UnsupportedTypeError,
} from "./errors.ts";

const BY_STATUS: Readonly<Record<number, new (fields: ApiErrorFields) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  413: FileTooLargeError,
  415: UnsupportedTypeError,
  422: UnprocessableError,
  429: RateLimitError,
};

/** Of an unreadable answer the error keeps so much, in letters. */
const SHOWN_LETTERS = 1_000;

/** The error that an answer stands for. */
export function errorOf(response: Response, text: string): ApiError {
  const { status, statusText } = response;
  const Class = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  const common = { httpStatus: status, requestId: requestIdOf(response), retryAfterMs: retryAfterOf(response) };
  const { error } = (parse(text) ?? {}) as { error?: Record<string, unknown> };
  if (typeof error?.code === "string" && typeof error.message === "string") {
    return new Class({
      ...common,
      message: error.message,
      code: error.code,
      upgradeUrl: textOf(error.upgrade_url),
      topupUrl: textOf(error.topup_url),
      details: error.details,
    });
  }
  const type = response.headers.get("content-type")?.split(";")[0] || "no type";
  return new Class({
    ...common,
    message: `${[status, statusText].join(" ").trim()}: the answer (${type}) is that of a proxy, not the service's`,
    code: `HTTP_${status}`,
    details: text.slice(0, SHOWN_LETTERS),
  });
}

export function requestIdOf(response: Response): string | undefined {
  return response.headers.get("x-request-id") ?? undefined;
}

/** `Retry-After` in ms: seconds, or a date by the service's own clock where the answer tells it. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get("retry-after");
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds)
    ? Date.parse(value) - (Date.parse(headers.get("date") ?? "") || Date.now())
    : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
