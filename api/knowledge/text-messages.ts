// Messages between the api and its text process.
import type { ErrorCode } from "../../shared/errors.ts";
import type { SourceExtension } from "./knowledge-base.ts";
import type { Passage } from "./split-text.ts";

export interface TextRequest {
  path: string;
  extension: SourceExtension;
}

/** A document's text, cut into passages. */
export interface SplitDocument {
  passages: Passage[];
  /** Text search configuration of PostgreSQL. */
  language: string;
}

export type TextReply =
  | { type: "done"; document: SplitDocument }
  | { type: "refused"; code: ErrorCode; message: string }
  | { type: "failed"; message: string };
