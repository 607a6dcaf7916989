// The executor of the lip-sync network: a WebAssembly module with the weights of one file, shared by all streams.

import { LIP_SYNC_HOP_SAMPLES } from "../../../../shared/units.ts";
import type { InferenceRuntime } from "../../../signal/inference/inference-runtime.ts";
import { isEightBit, readEightBitWeights } from "./eight-bit-weights.ts";
import {
  type AnswerTuning,
  cosineTable,
  HALF_LOGITS,
  type HalfMatrix,
  LAYERS,
  type LipSyncWeights,
  MELS,
  readLipSyncGraph,
  WIDTH,
  WINDOW_SAMPLES,
} from "./lip-sync-graph.ts";

const PAGE_BYTES = 65_536;
/** Streams begin at multiples of a vector. */
const ALIGNMENT = 16;

/** What step.c, layers.c and mel-features.c export. Globals are addresses in `memory`. */
interface LipSyncExports {
  readonly memory: WebAssembly.Memory;
  readonly __heap_base: WebAssembly.Global<"i32">;
  readonly window_shape: WebAssembly.Global<"i32">;
  readonly cosines: WebAssembly.Global<"i32">;
  readonly mel_first: WebAssembly.Global<"i32">;
  readonly mel_count: WebAssembly.Global<"i32">;
  readonly mel_weights: WebAssembly.Global<"i32">;
  readonly lift_weights: WebAssembly.Global<"i32">;
  readonly lift_bias: WebAssembly.Global<"i32">;
  readonly norm_weights: WebAssembly.Global<"i32">;
  readonly norm_bias: WebAssembly.Global<"i32">;
  readonly mix_bias: WebAssembly.Global<"i32">;
  readonly answer_weights: WebAssembly.Global<"i32">;
  readonly answer_bias: WebAssembly.Global<"i32">;
  readonly halves: WebAssembly.Global<"i32">;
  readonly hop: WebAssembly.Global<"i32">;
  readonly logits: WebAssembly.Global<"i32">;
  unpack(to: number, count: number): void;
  pack_layer(layer: number): void;
  stream_bytes(): number;
  reset(stream: number): void;
  step(stream: number): void;
}

/** Loaded programs by the bytes that they were loaded from. */
const programs = new WeakMap<Uint8Array, Promise<LipSyncProgram | null>>();

/** Returns the program of an ONNX file or a file of 8-bit weights, loaded once for each array; null if this machine
 *  cannot run it, if the graph is not the one that it computes, or if the weights are damaged. Never rejects: ONNX
 *  Runtime then loads the same file, or says what is wrong with it. */
export function loadLipSyncProgram(runtime: InferenceRuntime, model: Uint8Array): Promise<LipSyncProgram | null> {
  let loading = programs.get(model);
  if (!loading) {
    loading = loadProgram(runtime, model).catch(() => null);
    programs.set(model, loading);
  }
  return loading;
}

async function loadProgram(runtime: InferenceRuntime, model: Uint8Array): Promise<LipSyncProgram | null> {
  const weights = await (isEightBit(model) ? readEightBitWeights(model) : readLipSyncGraph(model));
  if (typeof weights === "string") return null;
  const module = await runtime.loadModule(new URL("./lip-sync.wasm", import.meta.url));
  const instance = await WebAssembly.instantiate(module);
  return new LipSyncProgram(instance.exports as unknown as LipSyncExports, weights);
}

/** The weights and the streams of a module. */
export class LipSyncProgram {
  readonly tuning: AnswerTuning;
  readonly #exports: LipSyncExports;
  readonly #streamBytes: number;
  /** Address behind the last stream. */
  #end: number;
  /** Addresses of closed streams. */
  readonly #free: number[] = [];
  /** Views of the memory; new ones after it has grown. */
  #hop: Float32Array;
  #logits: Float32Array;

  constructor(exports: LipSyncExports, weights: LipSyncWeights) {
    this.#exports = exports;
    this.tuning = weights.tuning;
    this.#end = aligned(exports.__heap_base.value);
    this.#streamBytes = aligned(exports.stream_bytes());
    [this.#hop, this.#logits] = this.#views();
    this.#write(weights);
  }

  /** Address of a new stream. */
  openStream(): number {
    const stream = this.#free.pop() ?? this.#allocate();
    this.#exports.reset(stream);
    return stream;
  }

  /** The stream's memory is used by the next one that is opened. */
  closeStream(stream: number): void {
    this.#free.push(stream);
  }

  /** Clears the state of a stream. */
  resetStream(stream: number): void {
    this.#exports.reset(stream);
  }

  /** Runs the network on the next hop of a stream (float32 [640]). Returns logits, float32 [36], valid until the next
   *  call for any stream. */
  step(stream: number, hop: Float32Array): Float32Array {
    if (this.#hop.buffer !== this.#exports.memory.buffer) [this.#hop, this.#logits] = this.#views();
    this.#hop.set(hop);
    this.#exports.step(stream);
    return this.#logits;
  }

  #allocate(): number {
    const { memory } = this.#exports;
    const stream = this.#end;
    this.#end += this.#streamBytes;
    const missing = this.#end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return stream;
  }

  #views(): [hop: Float32Array, logits: Float32Array] {
    const { hop, logits } = this.#exports;
    return [this.#floats(hop, LIP_SYNC_HOP_SAMPLES), this.#floats(logits, 2 * HALF_LOGITS)];
  }

  #floats(at: WebAssembly.Global<"i32">, length: number): Float32Array {
    return new Float32Array(this.#exports.memory.buffer, at.value, length);
  }

  #write({ window, bands, lift, layers, norm, answer }: LipSyncWeights): void {
    const { memory, pack_layer, unpack, ...at } = this.#exports;
    this.#floats(at.window_shape, WINDOW_SAMPLES).set(window);
    const cosines = cosineTable();
    this.#floats(at.cosines, cosines.length).set(cosines);
    const melWeights = bands.flatMap(({ weights }) => [...weights]);
    this.#floats(at.mel_weights, melWeights.length).set(melWeights);
    new Int32Array(memory.buffer, at.mel_first.value, MELS).set(bands.map(({ first }) => first));
    new Int32Array(memory.buffer, at.mel_count.value, MELS).set(bands.map(({ weights }) => weights.length));
    this.#unpack(lift, at.lift_weights, at.lift_bias);
    this.#unpack(answer, at.answer_weights, at.answer_bias);
    const norms = [...layers.map((layer) => layer.norm), norm];
    for (const [k, { weights, bias }] of norms.entries()) {
      this.#floats(at.norm_weights, norms.length * WIDTH).set(weights, k * WIDTH);
      this.#floats(at.norm_bias, norms.length * WIDTH).set(bias, k * WIDTH);
    }
    for (const [layer, { mix }] of layers.entries()) {
      this.#writeHalves(mix);
      pack_layer(layer);
      this.#floats(at.mix_bias, LAYERS * WIDTH).set(mix.bias, layer * WIDTH);
    }
  }

  /** Writes a matrix that is computed in float32. */
  #unpack(matrix: HalfMatrix, weights: WebAssembly.Global<"i32">, bias: WebAssembly.Global<"i32">): void {
    this.#writeHalves(matrix);
    this.#exports.unpack(weights.value, matrix.halves.length / 2);
    this.#floats(bias, matrix.bias.length).set(matrix.bias);
  }

  #writeHalves({ halves }: HalfMatrix): void {
    new Uint8Array(this.#exports.memory.buffer, this.#exports.halves.value, halves.length).set(halves);
  }
}

function aligned(address: number): number {
  return Math.ceil(address / ALIGNMENT) * ALIGNMENT;
}
