// What the console's stream of changes names, for the api that sends it and the pages that read it.

/** Kinds of things that a person sees in the console, as changes name them. `workers` is for the operator only. */
export const CHANGE_NOUNS = [
  "agents",
  "sessions",
  "messages",
  "videos",
  "dynamics",
  "files",
  "knowledge",
  "webhooks",
  "deliveries",
  "secrets",
  "credits",
  "organizations",
  "workers",
] as const;

export type ChangeNoun = (typeof CHANGE_NOUNS)[number];

/** The service sends an event this often at least. */
export const CHANGES_BEAT_MS = 15_000;
/** Where the console's pages open the stream. */
export const CHANGES_PATH = "/console/api/events";

/** The data of an event `change`. */
export interface ChangeEvent {
  nouns: ChangeNoun[];
}

/** Why the service ended a stream: the session in the console has ended, the api stops, or it does not hear of changes
 *  itself. */
export type ChangesEnd = "session_ended" | "service_closing" | "not_listening";

/** The data of an event `end`, the last of a stream. */
export interface ChangesEndEvent {
  reason: ChangesEnd;
}

export function isChangeNoun(text: string): text is ChangeNoun {
  return (CHANGE_NOUNS as readonly string[]).includes(text);
}
