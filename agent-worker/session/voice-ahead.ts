// Speaks one text before it is wanted: the greeting, while the avatar is opened and the room joined. The next reader of
// the same text gets what was made meanwhile.
import type { SpeechOptions, SpokenPiece, Voice } from "../../src/speech/voice/voice.ts";

/** Audio that is made ahead, s; the rest of a longer text is made when it is wanted. */
const LIMIT_S = 15;

interface Ahead {
  text: string;
  /** What the voice made, in order; the last one may be pending. */
  results: Promise<IteratorResult<SpokenPiece>>[];
  rest: AsyncGenerator<SpokenPiece>;
  /** Its audio is wanted: the rest is made as it is read. */
  isTaken: boolean;
}

/** A voice that passes everything on to another. Closing it closes that one. */
export class VoiceAhead implements Voice {
  readonly #voice: Voice;
  #ahead: Ahead | undefined;

  constructor(voice: Voice) {
    this.#voice = voice;
  }

  /** Begins to make the audio of a text, for the next call of `synthesize` with this text. The options of that
   *  call do not count. Once. */
  prepare(text: string, options: SpeechOptions): void {
    this.#ahead = { text, results: [], rest: this.#speak(text, options), isTaken: false };
    void this.#make(this.#ahead);
  }

  async *synthesize(text: string, options: SpeechOptions = {}): AsyncGenerator<SpokenPiece> {
    const ahead = this.#ahead;
    if (ahead?.text !== text) {
      yield* this.#voice.synthesize(text, options);
      return;
    }
    this.#ahead = undefined;
    ahead.isTaken = true;
    try {
      for (const result of ahead.results) {
        const { done, value } = await result;
        if (done) return;
        yield value;
      }
      yield* ahead.rest;
    } finally {
      await ahead.rest.return(undefined);
    }
  }

  warmUp(language?: string): void {
    this.#voice.warmUp?.(language);
  }

  async close(): Promise<void> {
    if (this.#ahead) this.#ahead.isTaken = true;
    await this.#voice.close();
  }

  /** As a generator, which can be ended. */
  async *#speak(text: string, options: SpeechOptions): AsyncGenerator<SpokenPiece> {
    yield* this.#voice.synthesize(text, options);
  }

  async #make(ahead: Ahead): Promise<void> {
    for (let seconds = 0; seconds < LIMIT_S && !ahead.isTaken; ) {
      const result = ahead.rest.next();
      ahead.results.push(result);
      try {
        const { done, value } = await result;
        if (done) return;
        seconds += value.samples.length / value.sampleRateHz;
      } catch {
        // The reader of the text gets the same error.
        return;
      }
    }
  }
}
