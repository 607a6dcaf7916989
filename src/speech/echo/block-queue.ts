// Cuts a stream of int16 samples into blocks and joins what became of them.
import { BLOCK_SAMPLES } from "./blocks.ts";

const FULL_SCALE = 32_768;

/** First in, first out. Buffers grow to the longest input. */
export class BlockQueue {
  #input: Int16Array = new Int16Array(16 * BLOCK_SAMPLES);
  #inputCount = 0;
  #output: Int16Array = new Int16Array(16 * BLOCK_SAMPLES);
  #outputCount = 0;
  #popped: Int16Array = new Int16Array(4 * BLOCK_SAMPLES);

  /** Samples that do not fill a block yet. */
  get waiting(): number {
    return this.#inputCount;
  }

  reset(): void {
    this.#inputCount = 0;
    this.#outputCount = 0;
  }

  /** Adds samples. */
  push(samples: Int16Array): void {
    this.#input = grown(this.#input, this.#inputCount + samples.length);
    this.#input.set(samples, this.#inputCount);
    this.#inputCount += samples.length;
  }

  /** Takes a block out, −1 to 1. Returns whether there was one. */
  take(into: Float64Array): boolean {
    if (this.#inputCount < BLOCK_SAMPLES) return false;
    for (let i = 0; i < BLOCK_SAMPLES; i++) into[i] = this.#input[i] / FULL_SCALE;
    this.#input.copyWithin(0, BLOCK_SAMPLES, this.#inputCount);
    this.#inputCount -= BLOCK_SAMPLES;
    return true;
  }

  /** Adds a block to the results. */
  give(block: Float64Array): void {
    this.#output = grown(this.#output, this.#outputCount + BLOCK_SAMPLES);
    for (let i = 0; i < BLOCK_SAMPLES; i++) {
      this.#output[this.#outputCount++] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, block[i] * FULL_SCALE));
    }
  }

  /** Takes `count` results out, after silence if there are fewer. The array is valid until the next call. */
  pop(count: number): Int16Array {
    this.#popped = grown(this.#popped, count);
    const missing = Math.max(0, count - this.#outputCount);
    this.#popped.fill(0, 0, missing);
    for (let i = missing; i < count; i++) this.#popped[i] = this.#output[i - missing];
    this.#output.copyWithin(0, count - missing, this.#outputCount);
    this.#outputCount -= count - missing;
    return this.#popped.subarray(0, count);
  }
}

function grown(samples: Int16Array, length: number): Int16Array {
  if (samples.length >= length) return samples;
  const larger = new Int16Array(2 * length);
  larger.set(samples);
  return larger;
}
