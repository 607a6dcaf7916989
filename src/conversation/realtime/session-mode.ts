// What a session does beyond recognising speech: it answers (`Responses`), or it only writes down (`Transcription`).
import type { SpeechTimes } from "../turns/person-speech.ts";
import type { WrittenAnswer } from "../turns/turn-taker.ts";
import type { ClientEvent } from "./client-events.ts";
import type { WrittenText } from "./responses/realtime-response.ts";

/** Events that are about neither the session nor its audio. */
export type ModeEvent = Exclude<
  ClientEvent,
  { type: "session.update" | "transcription_session.update" | `input_audio_buffer.${string}` }
>;

/** The answer to a turn that was not decided when it was begun. */
export interface AheadText extends WrittenText, WrittenAnswer {}

export interface SessionMode {
  /** Whether a client that plays at once hears an answer, or will. */
  readonly isAnswering: boolean;
  /** Takes a client's event. Throws RealtimeError. */
  take(event: ModeEvent): void;
  /** Begins the answer to a turn that is not decided yet. Undefined: it is not answered ahead, or never. */
  writeAhead(text: string): AheadText | undefined;
  /** The person has begun to speak. */
  onSpeech(): void;
  /** The person's turn is over and an item. `written`: the answer that was written ahead. */
  onTurn(times: SpeechTimes, written: WrittenText | undefined): void;
  /** The same, but the words were not understood. */
  onNotUnderstood(): void;
  /** Ends what is said. Idempotent. */
  close(): void;
}
