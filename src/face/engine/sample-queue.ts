// A FIFO queue of samples: pushed in chunks of any size, taken in blocks.

type SampleArray = Int16Array | Float32Array;

/** Samples of one block. Without blocks, a stream of tiny chunks would cost one object per chunk. */
const BLOCK_SAMPLES = 4096;

/** Copies chunks into its own blocks and reuses empty blocks, so that a steady stream allocates nothing. */
export class SampleQueue<Samples extends SampleArray> {
  readonly #createBlock: (length: number) => Samples;
  readonly #blocks: Samples[] = [];
  /** An empty block to reuse. */
  #spare: Samples | undefined;
  /** Samples of the first block that were already taken. */
  #taken = 0;
  #length = 0;

  /** `createBlock`: allocates an array of this queue's element type. */
  constructor(createBlock: (length: number) => Samples) {
    this.#createBlock = createBlock;
  }

  /** Queued samples. */
  get length(): number {
    return this.#length;
  }

  /** Appends a copy of a chunk. */
  push(chunk: Samples): void {
    for (let offset = 0; offset < chunk.length; ) {
      const used = (this.#taken + this.#length) % BLOCK_SAMPLES;
      if (this.#taken + this.#length === this.#blocks.length * BLOCK_SAMPLES) this.#addBlock();
      const count = Math.min(BLOCK_SAMPLES - used, chunk.length - offset);
      this.#blocks[this.#blocks.length - 1].set(chunk.subarray(offset, offset + count), used);
      this.#length += count;
      offset += count;
    }
  }

  /** Moves the oldest samples to the start of `target` and returns their number: less than its length if the queue runs
   *  empty. */
  takeInto(target: Samples): number {
    const wanted = Math.min(target.length, this.#length);
    for (let filled = 0; filled < wanted; ) {
      const count = Math.min(wanted - filled, BLOCK_SAMPLES - this.#taken);
      target.set(this.#blocks[0].subarray(this.#taken, this.#taken + count), filled);
      filled += count;
      this.#taken += count;
      this.#length -= count;
      if (this.#taken === BLOCK_SAMPLES) this.#dropBlock();
    }
    return wanted;
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#spare = undefined;
    this.#taken = 0;
    this.#length = 0;
  }

  #addBlock(): void {
    this.#blocks.push(this.#spare ?? this.#createBlock(BLOCK_SAMPLES));
    this.#spare = undefined;
  }

  #dropBlock(): void {
    this.#spare = this.#blocks.shift();
    this.#taken = 0;
  }
}
