// A request, as samples of code show it.

export interface PlannedRequest {
  method: string;
  /** With its query. */
  url: string;
  credential: "none" | "secret" | "token";
  /** Undefined for none. */
  body?: PlannedBody;
  /** Name of the file that the answer becomes; undefined for an answer to read. */
  savedAs?: string;
}

export type PlannedBody =
  | { kind: "json"; value: unknown }
  | { kind: "form"; texts: readonly [string, string][]; files: readonly [string, string][] }
  /** A file as it is. */
  | { kind: "file"; type: string; name: string };
