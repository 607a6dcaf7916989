// The events of a session on their way out: numbered, in the names of the client's dialect.
import { randomBytes } from "node:crypto";
import type { Dialect } from "./session-settings.ts";

export interface ServerEvent {
  type: string;
  event_id: string;
  [field: string]: unknown;
}

/** The beta's names. What is not listed has the same name. */
const BETA_NAMES: Readonly<Record<string, string>> = {
  "conversation.item.added": "conversation.item.created",
  "response.output_text.delta": "response.text.delta",
  "response.output_text.done": "response.text.done",
  "response.output_audio.delta": "response.audio.delta",
  "response.output_audio.done": "response.audio.done",
  "response.output_audio_transcript.delta": "response.audio_transcript.delta",
  "response.output_audio_transcript.done": "response.audio_transcript.done",
};
/** The beta does not have it. */
const NOT_IN_BETA = "conversation.item.done";

/** An id as clients expect it: a prefix and letters that no other session has. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("base64url").replace(/[-_]/g, "0")}`;
}

export class RealtimeOutput {
  readonly dialect: Dialect;
  readonly #send: (event: ServerEvent) => void;
  readonly #session = newId("event");
  #count = 0;

  constructor(dialect: Dialect, send: (event: ServerEvent) => void) {
    this.dialect = dialect;
    this.#send = send;
  }

  /** Sends an event, by its name of today. */
  emit(type: string, fields: Record<string, unknown> = {}): void {
    const isBeta = this.dialect === "beta";
    if (isBeta && type === NOT_IN_BETA) return;
    this.#count += 1;
    const name = isBeta ? (BETA_NAMES[type] ?? type) : type;
    this.#send({ type: name, event_id: `${this.#session}_${this.#count}`, ...fields });
  }
}
