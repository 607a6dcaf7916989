// What the face hears of the visitor's microphone. The audio ends here.
import { UserHearing, type UserHearingEvents } from "../../../src/speech/phrases/user-hearing.ts";
import type { VoicePiece } from "../face-messages.ts";

export class MicrophoneInput {
  readonly #port: MessagePort;
  readonly #hearing: UserHearing;
  #nextSample: number | undefined;

  /** Pieces (`VoicePiece`) come through `port`, at `rateHz`, until `close`. */
  constructor(port: MessagePort, rateHz: number, events: UserHearingEvents) {
    this.#port = port;
    this.#hearing = new UserHearing(rateHz, events);
    port.onmessage = ({ data }: MessageEvent<VoicePiece>) => this.#take(data);
  }

  /** The microphone is off, or is another one. */
  close(): void {
    this.#port.onmessage = null;
    this.#port.close();
    this.#hearing.lost();
  }

  #take({ samples, atSample }: VoicePiece): void {
    if (this.#nextSample !== undefined && atSample !== this.#nextSample) this.#hearing.lost();
    this.#nextSample = atSample + samples.length;
    this.#hearing.push(samples);
  }
}
