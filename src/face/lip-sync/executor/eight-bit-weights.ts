// The weights of the lip-sync network in 8 bits, for browsers: a third of the ONNX file. models/lip-sync/README.md
// describes the format.

import { inflateExactly } from "../../../signal/inflate-exactly.ts";
import { fromHalves, toHalves } from "./half-floats.ts";
import {
  BINS,
  FEATURES,
  type HalfMatrix,
  LAYERS,
  type LipSyncWeights,
  LOGITS,
  MEL_WEIGHTS_LIMIT,
  MELS,
  type NormWeights,
  VISEME_LOGITS,
  WIDTH,
  WINDOW_SAMPLES,
} from "./lip-sync-graph.ts";

/** "LIP8". The size of the unpacked values follows as uint32, then the values, compressed. */
const SIGNATURE = [0x4c, 0x49, 0x50, 0x38];
const HEADER_BYTES = 8;
/** Most bytes that a file may unpack to; today's are 1.66 million. */
const UNPACKED_LIMIT_BYTES = 2_000_000;

/** Rows and columns of the matrices: lift, layers, answer. */
const MATRIX_SIZES: readonly (readonly [rows: number, columns: number])[] = [
  [WIDTH, FEATURES],
  ...Array.from({ length: LAYERS }, () => [WIDTH, 3 * WIDTH] as const),
  [LOGITS, WIDTH],
];

/** Whether bytes begin like a file of 8-bit weights. */
export function isEightBit(file: Uint8Array): boolean {
  return SIGNATURE.every((byte, k) => file[k] === byte);
}

/** The weights of a file. Rejects with Error if it is damaged. */
export async function readEightBitWeights(file: Uint8Array): Promise<LipSyncWeights> {
  if (!isEightBit(file) || file.length < HEADER_BYTES) throw damaged();
  const unpackedBytes = new DataView(file.buffer, file.byteOffset).getUint32(SIGNATURE.length, true);
  if (unpackedBytes > UNPACKED_LIMIT_BYTES) throw damaged();
  const values = await inflateExactly([file.slice(HEADER_BYTES)], unpackedBytes, "deflate-raw").catch((cause) => {
    throw damaged(cause);
  });
  const reader = new ValueReader(values);
  const window = reader.floats(WINDOW_SAMPLES);
  const firsts = reader.counts(MELS, BINS);
  const counts = reader.counts(MELS, BINS);
  if (counts.reduce((sum, count) => sum + count, 0) > MEL_WEIGHTS_LIMIT) throw damaged();
  const bands = Array.from(firsts, (first, k) => ({
    first,
    weights: reader.floats(Math.min(counts[k], BINS - first)),
  }));
  const [closureLogOdds, biteExponent, ...sharedLogOdds] = reader.floats(VISEME_LOGITS);
  const norms = Array.from({ length: LAYERS + 1 }, () => reader.norm());
  const rows = MATRIX_SIZES.map(([rows]) => ({ bias: reader.floats(rows), scales: reader.floats(rows) }));
  const matrices = MATRIX_SIZES.map(([, columns], k) => reader.matrix(rows[k], columns));
  reader.end();
  return {
    window,
    bands,
    lift: matrices[0],
    layers: Array.from({ length: LAYERS }, (_, layer) => ({ norm: norms[layer], mix: matrices[1 + layer] })),
    norm: norms[LAYERS],
    answer: matrices[1 + LAYERS],
    tuning: { closureLogOdds, biteExponent, sharedLogOdds: Float32Array.from(sharedLogOdds) },
  };
}

/** A file of these weights, with each row of a matrix rounded to 8 bits. `deflate`: raw DEFLATE. */
export function writeEightBitWeights(weights: LipSyncWeights, deflate: (values: Uint8Array) => Uint8Array): Uint8Array {
  const { window, bands, lift, layers, norm, answer, tuning } = weights;
  const matrices = [lift, ...layers.map(({ mix }) => mix), answer].map(roundRows);
  const values = joinBytes([
    window,
    Int32Array.from(bands, ({ first }) => first),
    Int32Array.from(bands, (band) => band.weights.length),
    ...bands.map((band) => band.weights),
    Float32Array.of(tuning.closureLogOdds, tuning.biteExponent, ...tuning.sharedLogOdds),
    ...[...layers.map((layer) => layer.norm), norm].flatMap((each) => [each.weights, each.bias]),
    ...matrices.flatMap(({ bias, scales }) => [bias, scales]),
    ...matrices.map(({ bytes }) => bytes),
  ]);
  return joinBytes([Uint8Array.from(SIGNATURE), Uint32Array.of(values.length), deflate(values)]);
}

/** Rounds each row so that its largest weight is ±127. */
function roundRows({ halves, bias }: HalfMatrix): { bias: Float32Array; scales: Float32Array; bytes: Int8Array } {
  const values = fromHalves(halves);
  const columns = values.length / bias.length;
  const scales = new Float32Array(bias.length);
  const bytes = new Int8Array(values.length);
  for (let row = 0; row < bias.length; row++) {
    const [begin, end] = [row * columns, (row + 1) * columns];
    let largest = 0;
    for (let k = begin; k < end; k++) largest = Math.max(largest, Math.abs(values[k]));
    scales[row] = largest / 127;
    for (let k = begin; k < end && largest > 0; k++) bytes[k] = Math.round(values[k] / scales[row]);
  }
  return { bias, scales, bytes };
}

function joinBytes(arrays: readonly (Float32Array | Int32Array | Uint32Array | Uint8Array | Int8Array)[]): Uint8Array {
  const joined = new Uint8Array(arrays.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of arrays) {
    joined.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return joined;
}

/** Takes values off bytes, one kind after the other. Throws Error where they end or mean nothing. */
class ValueReader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  /** All finite. */
  floats(count: number): Float32Array {
    const values = new Float32Array(this.#take(4 * count));
    if (!values.every(Number.isFinite)) throw damaged();
    return values;
  }

  /** From 0 to `largest`. */
  counts(count: number, largest: number): Int32Array {
    const values = new Int32Array(this.#take(4 * count));
    if (!values.every((value) => value >= 0 && value <= largest)) throw damaged();
    return values;
  }

  norm(): NormWeights {
    return { weights: this.floats(WIDTH), bias: this.floats(WIDTH) };
  }

  matrix({ bias, scales }: { bias: Float32Array; scales: Float32Array }, columns: number): HalfMatrix {
    const bytes = new Int8Array(this.#take(bias.length * columns));
    const values = new Float32Array(bytes.length);
    for (let row = 0, k = 0; row < scales.length; row++) {
      for (const end = k + columns; k < end; k++) values[k] = bytes[k] * scales[row];
    }
    return { halves: toHalves(values), bias };
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw damaged();
  }

  /** A copy, which begins where a typed array may begin. */
  #take(count: number): ArrayBuffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw damaged();
    const taken = this.#bytes.buffer.slice(this.#at, end);
    this.#at = end;
    return taken;
  }
}

function damaged(cause?: unknown): Error {
  return new Error("the lip-sync weights are damaged", { cause });
}
