// Reads a WAV file as its bytes arrive, so that hours of audio take no more memory than a second.
import { EngineError } from "../../../shared/engine-error.ts";
import { toInt16Samples } from "./samples.ts";
import type { PcmAudio } from "./wav.ts";

/** Before the chunks, and before the content of each. */
const RIFF_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** Of the format chunk; longer ones go on with the format that an extensible one has. */
const FORMAT_BYTES = 16;
const EXTENSIBLE_BYTES = 26;
/** A format chunk is 40 bytes long at most; a longer one is damage. */
const MAX_FORMAT_BYTES = 1024;
const MAX_CHANNELS = 32;
const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

interface WavFormat {
  channels: number;
  sampleRateHz: number;
  /** Of one sample of one channel. */
  sampleBytes: number;
  isFloat: boolean;
}

/** Mono int16 at the file's own rate, in pieces, one for each chunk of bytes that holds audio: 8, 16, 24 or 32 bit PCM
 *  or 32 bit float, any number of channels. Ends where the audio ends, also if the file is cut off there. Throws
 *  EngineError(invalid-input) for anything else. */
export async function* wavPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<PcmAudio> {
  const reader = new ByteReader(chunks);
  try {
    const riff = await reader.take(RIFF_BYTES);
    if (!riff || ascii(riff, 0) !== "RIFF" || ascii(riff, 8) !== "WAVE") throw unreadable();
    let format: WavFormat | undefined;
    for (;;) {
      const header = await reader.take(CHUNK_HEADER_BYTES);
      if (!header) throw unreadable();
      const name = ascii(header, 0);
      const size = viewOf(header).getUint32(4, true);
      if (name === "data") {
        if (!format) throw unreadable();
        yield* samplesOf(reader, format, size);
        return;
      }
      if (name === "fmt ") {
        const content = size >= FORMAT_BYTES && size <= MAX_FORMAT_BYTES ? await reader.take(size) : null;
        if (!content) throw unreadable();
        format = parseFormat(content);
      } else if (!(await reader.skip(size))) throw unreadable();
      if (size % 2 === 1) await reader.skip(1);
    }
  } finally {
    await reader.close();
  }
}

async function* samplesOf(reader: ByteReader, format: WavFormat, size: number): AsyncGenerator<PcmAudio> {
  const groupBytes = format.channels * format.sampleBytes;
  // The size of a stream is not known when its header is written: zero, or as much as the field holds.
  let left = size === 0 || size >= 0xffff_0000 ? Number.POSITIVE_INFINITY : size;
  while (left >= groupBytes) {
    const bytes = await reader.takeGroups(groupBytes, left);
    if (!bytes) return;
    left -= bytes.length;
    yield { samples: decode(bytes, format), sampleRateHz: format.sampleRateHz };
  }
}

function parseFormat(content: Uint8Array): WavFormat {
  const view = viewOf(content);
  let code = view.getUint16(0, true);
  if (code === EXTENSIBLE && content.length >= EXTENSIBLE_BYTES) code = view.getUint16(24, true);
  const channels = view.getUint16(2, true);
  const sampleRateHz = view.getUint32(4, true);
  const sampleBytes = view.getUint16(14, true) / 8;
  const isKnown = code === FLOAT ? sampleBytes === 4 : code === PCM && [1, 2, 3, 4].includes(sampleBytes);
  const isPlausible = channels >= 1 && channels <= MAX_CHANNELS && sampleRateHz > 0;
  if (!isKnown || !isPlausible || view.getUint16(12, true) !== channels * sampleBytes) throw unreadable();
  return { channels, sampleRateHz, sampleBytes, isFloat: code === FLOAT };
}

function decode(bytes: Uint8Array, { channels, sampleBytes, isFloat }: WavFormat): Int16Array {
  const view = viewOf(bytes);
  const mono = new Float32Array(bytes.length / channels / sampleBytes);
  for (let k = 0, at = 0; k < mono.length; k++) {
    for (let channel = 0; channel < channels; channel++, at += sampleBytes) {
      mono[k] += isFloat ? view.getFloat32(at, true) : sampleAt(view, at, sampleBytes);
    }
    mono[k] /= channels;
  }
  return toInt16Samples(mono);
}

/** From −1 to 1. */
function sampleAt(view: DataView, at: number, sampleBytes: number): number {
  if (sampleBytes === 1) return (view.getUint8(at) - 128) / 128;
  if (sampleBytes === 2) return view.getInt16(at, true) / 32_768;
  if (sampleBytes === 3) return (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608;
  return view.getInt32(at, true) / 2_147_483_648;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function ascii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4));
}

function unreadable(): EngineError {
  return new EngineError("invalid-input", "The audio is not a readable WAV file.");
}

/** Takes bytes off chunks that end anywhere. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** `count` bytes; null if they end before. */
  async take(count: number): Promise<Uint8Array | null> {
    while (this.#chunk.length < count) if (!(await this.#more())) return null;
    return this.#cut(count);
  }

  /** What is there, at least one group and whole groups only, at most `most` bytes; null at the end. */
  async takeGroups(groupBytes: number, most: number): Promise<Uint8Array | null> {
    while (this.#chunk.length < groupBytes) if (!(await this.#more())) return null;
    const count = Math.min(most, this.#chunk.length);
    return this.#cut(count - (count % groupBytes));
  }

  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > this.#chunk.length) {
      left -= this.#chunk.length;
      this.#chunk = new Uint8Array(0);
      if (!(await this.#more())) return false;
    }
    this.#cut(left);
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #cut(count: number): Uint8Array {
    const taken = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(count);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    if (this.#chunk.length === 0) {
      this.#chunk = value;
    } else {
      const joined = new Uint8Array(this.#chunk.length + value.length);
      joined.set(this.#chunk);
      joined.set(value, this.#chunk.length);
      this.#chunk = joined;
    }
    return true;
  }
}
