// The one error type that the engine throws for what is wrong with its input or its installation.

/** Every code. The api translates them into codes of its contract (`api/kernel/to-service-error.ts`). */
export const ENGINE_ERROR_CODES = [
  /** A file is damaged or cut off, or an argument is outside its range. */
  "invalid-input",
  /** The bytes are of a kind of file that the engine does not read. */
  "unsupported-media",
  /** The input is over a limit: pixels of an image, length of a recording. */
  "too-large",
  /** There is no file at the given path, or it cannot be opened. */
  "file-not-found",
  /** The image shows no face. */
  "no-face",
  /** The face is drawn, and the model is for photographs of people. */
  "not-a-person",
  /** The face is too small, cut off, turned away or has its mouth covered, or there are several of similar size. */
  "face-unsuitable",
  /** A bundle is damaged, of another version, or holds a graph or an image that no bundle may hold. */
  "bundle-invalid",
  /** A valid bundle lacks what the requested model needs; baking it again helps. */
  "bundle-outdated",
  /** The requested model needs a mouth network, and none is configured. */
  "no-mouth-network",
  /** There is no voice of that name. */
  "unknown-voice",
  /** This machine or installation cannot do it, or not now: a file or program is missing, or too much is waiting. */
  "unavailable",
  /** A helper process did not finish in time. */
  "timeout",
  /** A server of the operator, which does part of the work, cannot be reached or broke off. */
  "upstream-unavailable",
  /** A helper process failed. */
  "program-failed",
] as const;

export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

/** An error with a message that is safe to show. `cause` is what went wrong underneath, for the log only. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EngineError";
    this.code = code;
  }
}

/** Whether an error is one that the engine throws on purpose; narrows the type. */
export function isEngineError(error: unknown): error is EngineError {
  return error instanceof EngineError;
}
