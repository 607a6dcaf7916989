// An answer that is written ahead: the language model starts with the words, and the voice waits until the turn is
// decided.
import { TextQueue } from "./text-queue.ts";

/** Collects pieces of text until they are read. */
export class PreparedAnswer {
  readonly #stopping = new AbortController();
  readonly #pieces = new TextQueue();
  /** When its first piece was there, ms of `performance.now`. */
  firstPieceAtMs: number | undefined;

  /** `write` begins at once; its signal ends it. */
  constructor(write: (signal: AbortSignal) => AsyncIterable<string>) {
    void this.#run(write);
  }

  /** The pieces, those that came before included. Throws what the writing threw. Once. */
  pieces(): AsyncGenerator<string> {
    return this.#pieces[Symbol.asyncIterator]();
  }

  /** Cancels the answer. Idempotent. */
  cancel(): void {
    this.#stopping.abort(new Error("the answer is not wanted any more"));
    this.#pieces.clear();
    this.#pieces.end();
  }

  async #run(write: (signal: AbortSignal) => AsyncIterable<string>): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for await (const piece of write(signal)) {
        if (signal.aborted) return;
        this.firstPieceAtMs ??= performance.now();
        this.#pieces.add(piece);
      }
      this.#pieces.end();
    } catch (error) {
      this.#pieces.end(error);
    }
  }
}
