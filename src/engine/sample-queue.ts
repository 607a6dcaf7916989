// A first-in first-out queue of samples that are pushed in chunks and taken in blocks.

type SampleArray = Int16Array | Float32Array;

/** Holds chunks without copying them; copies only what is taken. */
export class SampleQueue<Samples extends SampleArray> {
  #chunks: Samples[] = [];
  /** Samples of the first chunk that are already taken. */
  #taken = 0;
  #length = 0;

  /** Samples that wait. */
  get length(): number {
    return this.#length;
  }

  /** Appends a chunk, which the queue then owns. */
  push(chunk: Samples): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** Moves the oldest samples into `target` (from its start) and returns how many: less than its length if the queue runs dry. */
  takeInto(target: Samples): number {
    let filled = 0;
    while (filled < target.length && this.#chunks.length > 0) {
      const chunk = this.#chunks[0];
      const count = Math.min(target.length - filled, chunk.length - this.#taken);
      target.set(chunk.subarray(this.#taken, this.#taken + count), filled);
      filled += count;
      this.#taken += count;
      if (this.#taken === chunk.length) {
        this.#chunks.shift();
        this.#taken = 0;
      }
    }
    this.#length -= filled;
    return filled;
  }

  clear(): void {
    this.#chunks = [];
    this.#taken = 0;
    this.#length = 0;
  }
}
