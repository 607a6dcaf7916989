// What can go wrong with a face, as pages are told.

export type FaceErrorCode =
  /** The page's policy, or the browser's settings, forbid what the face needs. */
  | "blocked"
  /** The browser is too old. */
  | "unsupported"
  /** A file was not found, or the connection failed. */
  | "not-loaded"
  /** The file is no avatar, damaged, or of another version. */
  | "bundle-invalid"
  /** The browser does not let the face read this audio. It plays without it. */
  | "audio-unreadable"
  /** It moved, and failed. */
  | "stopped";

/** Its message may be shown: what happened, and what to do. */
export class FaceError extends Error {
  readonly code: FaceErrorCode;

  constructor(code: FaceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FaceError";
    this.code = code;
  }
}
