// Bytes collected in one buffer. A list of buffers would need some hundred bytes per piece: a body that arrives byte by
// byte, or a JSON text of empty strings, would take a hundred times its size.

const FIRST_CAPACITY_BYTES = 1_024;

export class GrowingBytes {
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bytes appended since the last `clear()`, as a view: valid until the next call of `append()` or `clear()`. */
  get view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Copies `bytes` to the end. */
  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.#buffer.length, FIRST_CAPACITY_BYTES));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** Empties the buffer and keeps its memory. */
  clear(): void {
    this.#length = 0;
  }
}
