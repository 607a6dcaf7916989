// The mode of a session that only writes down what is said: it takes audio and settings, and answers nothing.
import { RealtimeError } from "../realtime-error.ts";
import type { SessionMode } from "../session-mode.ts";

export class Transcription implements SessionMode {
  readonly isAnswering = false;

  take(): void {
    const message = "A transcription session has no responses and takes no items: send audio, or session.update.";
    throw new RealtimeError(message, { code: "invalid_value", param: "type" });
  }

  writeAhead(): undefined {}

  onSpeech(): void {}

  onTurn(): void {}

  onNotUnderstood(): void {}

  close(): void {}
}
