// Decodes a byte stream to mono int16 audio. Chunks can end anywhere, also in the middle of a sample.
import { mixDownInt16 } from "./samples.ts";

/** Decodes little-endian signed 16-bit interleaved PCM. Incomplete samples at the end are kept for the next chunk. */
export class PcmDecoder {
  readonly channels: number;
  readonly #groupBytes: number;
  #carried = new Uint8Array(0);

  /** Throws RangeError unless channels is a whole number from 1 to 32. */
  constructor(channels: number) {
    if (!Number.isInteger(channels) || channels < 1 || channels > 32) {
      throw new RangeError(`channels must be 1 to 32, got ${channels}`);
    }
    this.channels = channels;
    this.#groupBytes = channels * 2;
  }

  /** Returns the mono samples (mean of the channels) of the kept bytes and this chunk. May be empty. */
  push(chunk: Uint8Array): Int16Array {
    const bytes = new Uint8Array(this.#carried.length + chunk.length);
    bytes.set(this.#carried);
    bytes.set(chunk, this.#carried.length);
    const groups = Math.floor(bytes.length / this.#groupBytes);
    // Every platform of Node and of browsers is little-endian.
    const samples = new Int16Array(bytes.buffer, 0, groups * this.channels);
    this.#carried = bytes.slice(groups * this.#groupBytes);
    return mixDownInt16(samples, this.channels);
  }
}
