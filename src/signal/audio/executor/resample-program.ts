// The inner loop of the resampler as a WebAssembly module: it takes a seventh of JavaScript's time.
import type { InferenceRuntime } from "../../inference/inference-runtime.ts";
import type { FilterBank } from "../filter-bank.ts";

/** Sizes of the arrays in resample.c. */
const MOST_SAMPLES = 16_384;
/** Filters begin and end with whole vectors of four. */
const VECTOR = 4;
/** Memory for filters, bytes: those of all usual rates together take a tenth. A sender of many odd rates cannot fill
 *  the memory. */
const FILTER_BYTES_LIMIT = 4 * 1024 * 1024;
const PAGE_BYTES = 65_536;

/** What resample.c exports. Globals are addresses in `memory`. */
interface ResampleExports {
  readonly memory: WebAssembly.Memory;
  readonly __heap_base: WebAssembly.Global<"i32">;
  readonly input: WebAssembly.Global<"i32">;
  readonly output: WebAssembly.Global<"i32">;
  resample(
    filters: number,
    stride: number,
    phases: number,
    start: number,
    remainder: number,
    inputRateHz: number,
    outputRateHz: number,
    count: number,
  ): void;
}

/** Where the first output sample lies. */
export interface ResamplePosition {
  /** Index of the input sample at which the filter of the first output sample begins. */
  start: number;
  /** Time after that filter's middle input sample, in 1 / (inputRateHz · outputRateHz) s; below `outputRateHz`. */
  remainder: number;
  inputRateHz: number;
  outputRateHz: number;
}

/** Programs by their modules: resamplers keep their own state, so a process needs one. */
const programs = new WeakMap<WebAssembly.Module, ResampleProgram>();

/** Returns the program of this process; null if the machine cannot run it. Never rejects. */
export async function loadResampleProgram(runtime: InferenceRuntime): Promise<ResampleProgram | null> {
  try {
    const module = await runtime.loadModule(new URL("./resample.wasm", import.meta.url));
    let program = programs.get(module);
    if (!program) {
      const instance = await WebAssembly.instantiate(module);
      program = new ResampleProgram(instance.exports as unknown as ResampleExports);
      programs.set(module, program);
    }
    return program;
  } catch {
    // No SIMD, or no file: the resampler computes the same in JavaScript.
    return null;
  }
}

/** Filters in the module's memory, and scratch space for a call. */
export class ResampleProgram {
  readonly #exports: ResampleExports;
  /** Addresses of filters; null for those that do not fit. */
  readonly #filters = new WeakMap<FilterBank, number | null>();
  #filterBytes = 0;
  /** Views of the memory; new ones after it has grown. */
  #input: Float32Array;
  #output: Float32Array;

  constructor(exports: ResampleExports) {
    this.#exports = exports;
    [this.#input, this.#output] = this.#views();
  }

  /** Fills `output` from the first `inputCount` samples of `input`. Returns false, and does nothing, if the samples or
   *  the filters do not fit into the module. */
  resample(
    bank: FilterBank,
    input: Float64Array,
    inputCount: number,
    { start, remainder, inputRateHz, outputRateHz }: ResamplePosition,
    output: Float32Array,
  ): boolean {
    if (inputCount + VECTOR > MOST_SAMPLES || output.length > MOST_SAMPLES) return false;
    const filters = this.#filtersOf(bank);
    if (filters === null) return false;
    const moduleInput = this.#input;
    for (let i = 0; i < inputCount; i++) moduleInput[i] = input[i];
    moduleInput.fill(0, inputCount, inputCount + VECTOR);
    const stride = strideOf(bank);
    this.#exports.resample(filters, stride, bank.phases, start, remainder, inputRateHz, outputRateHz, output.length);
    const moduleOutput = this.#output;
    for (let i = 0; i < output.length; i++) output[i] = moduleOutput[i];
    return true;
  }

  #filtersOf(bank: FilterBank): number | null {
    const known = this.#filters.get(bank);
    if (known !== undefined) return known;
    const filters = this.#copyFilters(bank);
    this.#filters.set(bank, filters);
    return filters;
  }

  #copyFilters(bank: FilterBank): number | null {
    const stride = strideOf(bank);
    const bytes = bank.phases * stride * Float32Array.BYTES_PER_ELEMENT;
    if (this.#filterBytes + bytes > FILTER_BYTES_LIMIT) return null;
    const { memory, __heap_base } = this.#exports;
    const at = Math.ceil(__heap_base.value / 16) * 16 + this.#filterBytes;
    this.#filterBytes += bytes;
    const missing = at + bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    [this.#input, this.#output] = this.#views();
    const filters = new Float32Array(memory.buffer, at, bank.phases * stride);
    for (let phase = 0; phase < bank.phases; phase++) {
      filters.set(bank.coefficients.subarray(phase * bank.taps, (phase + 1) * bank.taps), phase * stride);
    }
    return at;
  }

  #views(): [input: Float32Array, output: Float32Array] {
    const { memory, input, output } = this.#exports;
    return [
      new Float32Array(memory.buffer, input.value, MOST_SAMPLES),
      new Float32Array(memory.buffer, output.value, MOST_SAMPLES),
    ];
  }
}

/** Taps of a filter with the zeros that fill its last vector. */
function strideOf({ taps }: FilterBank): number {
  return Math.ceil(taps / VECTOR) * VECTOR;
}
