// How a command fails: an exit code that scripts can act on, and one sentence for people.
import { toServiceError } from "../../api/kernel/to-service-error.ts";
import { AvatarError } from "../../sdk/client/errors.ts";
import { isEngineError } from "../../shared/engine-error.ts";
import { type ErrorCode, isServiceError } from "../../shared/errors.ts";
import { clientFailure } from "./client-failure.ts";

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

/** Codes of the service's parts that have an exit code of their own; the others are generic failures of the command. */
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

/** By its name: its module reads all settings, which the help has no time for. */
const CONFIG_ERROR = "ConfigError";

/** What a thrown value means for the command line; anything unexpected is an internal error. Errors of the engine have
 *  the code that REST callers get for them. */
export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof AvatarError) {
    const { kind, message, ...options } = clientFailure(error);
    return new CliError(kind, message, { ...options, cause: error });
  }
  if (isEngineError(error)) return toCliError(toServiceError(error));
  if (isServiceError(error)) {
    return new CliError(KIND_OF_CODE[error.code] ?? "generic", error.message, { code: error.code, cause: error });
  }
  if (isStartError(error)) return new CliError("generic", error.message, { hint: error.remedy, cause: error });
  if (error instanceof Error && error.name === CONFIG_ERROR) {
    return new CliError("usage", error.message, { hint: ".env.example describes each setting.", cause: error });
  }
  if (error instanceof Error && error.name === "AbortError") return new CliError("interrupted", "Interrupted.");
  const missing = missingPackage(error);
  if (missing !== undefined) {
    return new CliError("unavailable", `This command needs the package ${missing}, which is not installed.`, {
      hint: "Install the program again without --omit=optional, or that package beside it.",
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CliError("internal", message, {
    hint: "This is a bug in the program. Run it again with AVATAR_LOG_LEVEL=debug for the stack trace.",
    cause: error,
  });
}

/** By its name, too: the folders that know it use this one. */
function isStartError(error: unknown): error is Error & { remedy: string } {
  return error instanceof Error && error.name === "StartError" && "remedy" in error;
}

/** The npm package that could not be imported, as Node says it; undefined for any other error. */
function missingPackage(error: unknown): string | undefined {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { code: "", message: "" };
  if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") return undefined;
  return /^Cannot find (?:package|module) '((?:@[\w.-]+\/)?\w[\w.-]*)/.exec(message)?.[1];
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
