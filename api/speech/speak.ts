// Speaks a text for a request: audio at the rate of the answer, sentence by sentence, while the rest is being made.
import { isEngineError } from "../../shared/engine-error.ts";
import type { SpeechOptions } from "../../src/speech/voice/voice.ts";
import { toServiceError } from "../kernel/to-service-error.ts";
import type { SpeechResult, SpeechServices } from "./speech-services.ts";
import { type SpokenBytes, spokenBytes } from "./spoken-bytes.ts";

export interface Speech {
  text: string;
  options: SpeechOptions;
  /** Of the audio that is returned. */
  sampleRateHz: number;
}

/** A text that is being spoken. */
export interface Speaking extends AsyncIterableIterator<SpokenBytes> {
  /** Audio that was made so far. */
  readonly seconds: number;
}

/** A client that reads nothing for this long loses its answer, so that the voice is free for others. */
const MAX_PAUSE_MS = 60_000;

/** Speaks a text. The first piece has been made when this resolves, so that its errors can be answered. Read the speech
 *  to its end, or call `return`. `signal`: the client disconnected. Throws ServiceError: SERVICE_UNAVAILABLE with
 *  Retry-After (too many texts, or no voice), UPSTREAM_UNAVAILABLE, UPSTREAM_TIMEOUT and UPSTREAM_ERROR (the voice
 *  failed); the signal's reason. Reading it throws the same. */
export async function speak(
  services: SpeechServices,
  userId: string,
  speech: Speech,
  signal: AbortSignal,
): Promise<Speaking> {
  const running = new RunningSpeech(services, userId, speech, signal);
  await running.begin();
  return running;
}

class RunningSpeech implements Speaking {
  readonly #pieces: AsyncGenerator<SpokenBytes>;
  readonly #signal: AbortSignal;
  readonly #free: () => void;
  readonly #count: (result: SpeechResult) => void;
  #first: IteratorResult<SpokenBytes> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;
  #bytes = 0;
  readonly #bytesPerSecond: number;

  constructor(services: SpeechServices, userId: string, { text, options, sampleRateHz }: Speech, signal: AbortSignal) {
    const { voice, slots, countSpeech } = services;
    try {
      this.#free = slots.take(userId);
    } catch (error) {
      countSpeech("busy");
      throw error;
    }
    this.#count = countSpeech;
    this.#signal = signal;
    this.#bytesPerSecond = 2 * sampleRateHz;
    this.#pieces = spokenBytes(voice.synthesize(text, options), sampleRateHz);
  }

  get seconds(): number {
    return this.#bytes / this.#bytesPerSecond;
  }

  async begin(): Promise<void> {
    this.#first = await this.next();
  }

  async next(): Promise<IteratorResult<SpokenBytes>> {
    const first = this.#first;
    this.#first = undefined;
    if (first) return first;
    clearTimeout(this.#timer);
    try {
      this.#signal.throwIfAborted();
      const piece = this.#isEnded ? undefined : await this.#pieces.next();
      this.#signal.throwIfAborted();
      if (!piece || piece.done || this.#isEnded) {
        await this.#end("completed");
        return { done: true, value: undefined };
      }
      this.#bytes += piece.value.bytes.length;
      this.#timer = setTimeout(() => void this.#end("abandoned"), MAX_PAUSE_MS).unref();
      return piece;
    } catch (error) {
      await this.#end(this.#signal.aborted ? "abandoned" : "failed");
      throw isEngineError(error) ? toServiceError(error) : error;
    }
  }

  /** Stops the voice after the piece that it is making. Idempotent. */
  async return(): Promise<IteratorResult<SpokenBytes>> {
    await this.#end("abandoned");
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #end(result: SpeechResult): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#free();
    this.#count(result);
    await this.#pieces.return(undefined);
  }
}
