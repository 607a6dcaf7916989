// Pieces of text on their way to the voice.

/** Read once, with `for await`; it waits for more until `end()`. */
export class TextQueue implements AsyncIterable<string> {
  readonly #pieces: string[] = [];
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** Ignored after `end()`, and without a word. */
  add(text: string): void {
    if (this.#isEnded || text.trim() === "") return;
    this.#pieces.push(text);
    this.#wake();
  }

  /** No more text comes. Idempotent. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
