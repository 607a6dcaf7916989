// Writes down audio that a client commits by itself, one part after the other.
import { SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import type { ConversationStt } from "../../turns/conversation-parts.ts";
import { transcribeWithRetries } from "../../turns/transcribe-with-retries.ts";
import type { AudioPart } from "../items/conversation-items.ts";
import { RealtimeError } from "../realtime-error.ts";

/** Parts that may wait, and their audio in all: 19 MB. */
const MOST_WAITING = 8;
const MOST_WAITING_SAMPLES = 600 * SPEECH_SAMPLE_RATE_HZ;

export interface DictatedPart {
  /** Expected language, a BCP 47 tag. */
  language: string;
  onText(text: string): void;
  onFailed(error: unknown): void;
}

export class Dictation {
  readonly #stt: ConversationStt;
  readonly #signal: AbortSignal;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #waitingSamples = 0;

  /** `signal` ends it. */
  constructor(stt: ConversationStt, signal: AbortSignal) {
    this.#stt = stt;
    this.#signal = signal;
  }

  /** Throws RealtimeError if there is no space for this many samples. */
  assertFits(samples: number): void {
    if (this.#waiting < MOST_WAITING && this.#waitingSamples + samples <= MOST_WAITING_SAMPLES) return;
    throw new RealtimeError("Too much audio waits to be written down. Try again in a moment.", {
      code: "input_audio_buffer_full",
    });
  }

  /** `samples`: mono at 16 kHz. Throws RealtimeError if too much waits. */
  add(samples: Int16Array, { language, onText, onFailed }: DictatedPart): AudioPart {
    const { length } = samples;
    this.assertFits(length);
    this.#waiting += 1;
    this.#waitingSamples += length;
    const signal = this.#signal;
    const part: AudioPart = { kind: "audio", transcript: undefined, known: Promise.resolve() };
    const write = async (): Promise<void> => {
      try {
        const { text } = await transcribeWithRetries(this.#stt, samples, { language, signal });
        part.transcript = text;
        onText(text);
      } catch (error) {
        if (!signal.aborted) onFailed(error);
      } finally {
        this.#waiting -= 1;
        this.#waitingSamples -= length;
      }
    };
    part.known = this.#last.then(write);
    this.#last = part.known;
    return part;
  }
}
