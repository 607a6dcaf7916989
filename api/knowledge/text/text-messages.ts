// Messages between the api and its text process.
import type { SourceExtension } from "../knowledge-base.ts";
import type { Passage } from "./split-text.ts";

export interface TextTask {
  path: string;
  extension: SourceExtension;
}

/** A document's text, cut into passages. */
export interface SplitDocument {
  passages: Passage[];
  /** Text search configuration of PostgreSQL. */
  language: string;
}
