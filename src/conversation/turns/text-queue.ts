// Pieces of text on their way from those who write them to those who speak them.

/** Read once, with `for await`; it waits for more until `end()`. */
export class TextQueue implements AsyncIterable<string> {
  #pieces: string[] = [];
  #isEnded = false;
  #error: unknown;
  #wake: () => void = () => undefined;

  /** Ignored after `end()`. */
  add(text: string): void {
    if (this.#isEnded) return;
    this.#pieces.push(text);
    this.#wake();
  }

  /** No more text comes; with an error, the reader gets it behind the last piece. Only the first call counts. */
  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#error = error;
    this.#wake();
  }

  /** What was not read is not wanted any more. */
  clear(): void {
    this.#pieces = [];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
