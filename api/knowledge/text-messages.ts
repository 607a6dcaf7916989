// What the api and its text process say to each other.
import type { ErrorCode } from "../../shared/errors.ts";
import type { SourceExtension } from "./knowledge-base.ts";

export interface TextRequest {
  path: string;
  extension: SourceExtension;
}

export type TextReply =
  | { type: "done"; text: string }
  | { type: "refused"; code: ErrorCode; message: string }
  | { type: "failed"; message: string };
