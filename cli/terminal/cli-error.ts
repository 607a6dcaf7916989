// How a command fails: an exit code that scripts can act on, and one sentence for people.
import { toServiceError } from "../../api/kernel/to-service-error.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { type ErrorCode, isServiceError } from "../../shared/errors.ts";

/** Exit codes. Source: the contract's CLI table (sysexits.h where it has one). */
export const EXIT_CODES = {
  generic: 1,
  usage: 2,
  no_input: 66,
  unavailable: 69,
  internal: 70,
  no_permission: 77,
  interrupted: 130,
} as const;

export type CliErrorKind = keyof typeof EXIT_CODES;

/** A failure of a command. `message` says what is wrong, `hint` what to do about it. */
export class CliError extends Error {
  readonly kind: CliErrorKind;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(kind: CliErrorKind, message: string, options: { code?: string; hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "CliError";
    this.kind = kind;
    this.code = options.code ?? kind.toUpperCase();
    this.hint = options.hint;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind];
  }
}

/** Codes of the service that have an exit code of their own; the others are generic failures of the command. */
const KIND_OF_CODE: Partial<Record<ErrorCode, CliErrorKind>> = {
  NOT_FOUND: "no_input",
  MISSING_AUTH: "no_permission",
  UNAUTHORIZED: "no_permission",
  FORBIDDEN: "no_permission",
  INSUFFICIENT_BALANCE: "no_permission",
  PAYWALL: "no_permission",
  PLAN_REQUIRED: "no_permission",
  ACCOUNT_SUSPENDED: "no_permission",
  INTERNAL_ERROR: "internal",
  SERVICE_UNAVAILABLE: "unavailable",
  UPSTREAM_UNAVAILABLE: "unavailable",
  UPSTREAM_TIMEOUT: "unavailable",
};

/** What a thrown value means for the command line; anything unexpected is an internal error. Errors of the engine have
 *  the code that REST callers get for them. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (isEngineError(error)) return toCliError(toServiceError(error));
  if (isServiceError(error)) {
    return new CliError(KIND_OF_CODE[error.code] ?? "generic", error.message, { code: error.code, cause: error });
  }
  if (error instanceof Error && error.name === "AbortError") return new CliError("interrupted", "Interrupted.");
  const message = error instanceof Error ? error.message : String(error);
  return new CliError("internal", message, {
    hint: "This is a bug in the program. Run it again with AVATAR_LOG_LEVEL=debug for the stack trace.",
    cause: error,
  });
}

export interface CliErrorReport {
  isJson: boolean;
  /** Adds the stack of an internal error. Default false. */
  showsStack?: boolean;
}

/** Writes the failure to standard error: one JSON object with `isJson`, sentences otherwise. */
export function reportCliError(error: CliError, command: string, report: CliErrorReport): void {
  if (report.isJson) {
    const { code, kind, message, hint } = error;
    process.stderr.write(`${JSON.stringify({ error: { code, kind, command, message, hint } })}\n`);
    return;
  }
  process.stderr.write(`${["avatar", command].join(" ").trim()}: ${error.message}\n`);
  if (error.hint) process.stderr.write(`${error.hint}\n`);
  if (error.kind === "internal" && report.showsStack) {
    process.stderr.write(`${(error.cause as Error | undefined)?.stack ?? error.stack}\n`);
  }
}
