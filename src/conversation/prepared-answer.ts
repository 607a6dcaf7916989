// An answer that is written ahead: the mind starts with the words, and the voice waits until the turn is decided.

/** Collects pieces of text until they are read. */
export class PreparedAnswer {
  readonly #stopping = new AbortController();
  #pieces: string[] = [];
  #isOver = false;
  #error: unknown;
  #wake: () => void = () => undefined;
  /** When its first piece was there, ms of `performance.now`. */
  firstPieceAtMs: number | undefined;

  /** `write` begins at once; its signal ends it. */
  constructor(write: (signal: AbortSignal) => AsyncIterable<string>) {
    void this.#run(write);
  }

  /** The pieces, those that came before included. Throws what the writing threw. Once. */
  async *pieces(): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#isOver || this.#stopping.signal.aborted) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  /** It is not wanted any more. Idempotent. */
  cancel(): void {
    this.#stopping.abort(new Error("the answer is not wanted any more"));
    this.#pieces = [];
    this.#wake();
  }

  async #run(write: (signal: AbortSignal) => AsyncIterable<string>): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for await (const piece of write(signal)) {
        if (signal.aborted) return;
        this.firstPieceAtMs ??= performance.now();
        this.#pieces.push(piece);
        this.#wake();
      }
    } catch (error) {
      if (!signal.aborted) this.#error = error;
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }
}
