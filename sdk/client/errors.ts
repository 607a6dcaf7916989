// What a call can fail with.
import type { Agent } from "./generated/types.gen.ts";

/** Every error of this package, other than the reason of a signal that the caller aborted. */
export class AvatarError extends Error {
  override name = "AvatarError";
}

/** The client cannot make this call as it is set up; nothing was sent. */
export class ConfigurationError extends AvatarError {
  override name = "ConfigurationError";
}

/** The service did not answer. The call is not repeated by itself, because the service may have received it. */
export class ConnectionError extends AvatarError {
  override name = "ConnectionError";
  /** Of a call that accepts one: repeated with it, the call is charged once. */
  idempotencyKey?: string;
}

/** The service did not answer in time. */
export class TimeoutError extends ConnectionError {
  override name = "TimeoutError";
}

/** An agent could not be made, or not made again. Its credits are refunded. */
export class AgentFailedError extends AvatarError {
  override name = "AgentFailedError";
  readonly agent: Agent;

  constructor(message: string, agent: Agent) {
    super(message);
    this.agent = agent;
  }
}

export interface ApiErrorFields {
  message: string;
  code: string;
  httpStatus: number;
  requestId?: string;
  upgradeUrl?: string;
  topupUrl?: string;
  details?: unknown;
  retryAfterMs?: number;
}

/** The service refused the call, or failed. */
export class ApiError extends AvatarError {
  override name = "ApiError";
  /** The service's name of the cause, as AGENT_NOT_READY; `HTTP_502` if the answer was not the service's. */
  readonly code: string;
  readonly httpStatus: number;
  /** The request's name in the service's log. */
  readonly requestId: string | undefined;
  /** Where the plan is changed, if that is the remedy. */
  readonly upgradeUrl: string | undefined;
  /** Where credits are bought, if that is the remedy. */
  readonly topupUrl: string | undefined;
  readonly details: unknown;
  /** How long the service asked to wait, ms. */
  readonly retryAfterMs: number | undefined;

  constructor({ message, ...fields }: ApiErrorFields) {
    super(message);
    this.code = fields.code;
    this.httpStatus = fields.httpStatus;
    this.requestId = fields.requestId;
    this.upgradeUrl = fields.upgradeUrl;
    this.topupUrl = fields.topupUrl;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** An answer that is not the service's: something else listens at `baseUrl`. */
export class InvalidResponseError extends ApiError {
  override name = "InvalidResponseError";
}
/** 400 */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}
/** 401: the secret is missing, wrong or revoked. */
export class AuthenticationError extends ApiError {
  override name = "AuthenticationError";
}
/** 402: see `topupUrl`. */
export class InsufficientBalanceError extends ApiError {
  override name = "InsufficientBalanceError";
}
/** 403: see `upgradeUrl`. */
export class PermissionDeniedError extends ApiError {
  override name = "PermissionDeniedError";
}
/** 404 */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}
/** 409 */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}
/** 410 */
export class GoneError extends ApiError {
  override name = "GoneError";
}
/** 413 */
export class FileTooLargeError extends ApiError {
  override name = "FileTooLargeError";
}
/** 415 */
export class UnsupportedTypeError extends ApiError {
  override name = "UnsupportedTypeError";
}
/** 422 */
export class UnprocessableError extends ApiError {
  override name = "UnprocessableError";
}
/** 429 */
export class RateLimitError extends ApiError {
  override name = "RateLimitError";
}
/** 5xx */
export class ServerError extends ApiError {
  override name = "ServerError";
}
