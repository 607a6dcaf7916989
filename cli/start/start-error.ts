// The error that the start command shows without a stack: what is wrong, and what to do.

/** A problem an operator can act on. `message` names the thing and what is wrong with it; `remedy` says what to do. */
export class StartError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StartError";
    this.remedy = remedy;
  }
}

/** The text for a terminal: problem and remedy of a StartError, otherwise the error with its stack. Never throws. */
export function describeStartError(error: unknown): string {
  if (error instanceof StartError) return `${error.message}\n${error.remedy}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** A StartError for a full disk or a read-only folder, else null. */
export function toFolderError(error: unknown, folder: string): StartError | null {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new StartError(
      `There is no space left on the disk that holds ${folder}.`,
      "Free some space, or set AVATAR_DATA_DIR to a folder on another disk.",
      error,
    );
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "ENOTDIR") {
    return new StartError(
      `The folder ${folder} cannot be written (${code}).`,
      "Give this user the right to write there, or set AVATAR_DATA_DIR to another folder.",
      error,
    );
  }
  return null;
}
