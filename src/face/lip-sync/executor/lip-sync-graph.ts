// Reads the weights of the lip-sync network out of its ONNX file, if the graph is the one that the executor computes.

import { type InspectedTensor, inspectModel, type ModelInspection } from "../../../signal/onnx/inspect-model.ts";
import { ONNX_TYPE_BYTES, type OnnxType } from "../../../signal/onnx/onnx-format.ts";
import { sha256Hex } from "../../imx/sha256.ts";

/** Sizes of the network; network.h and mel-features.c have the same. */
export const LAYERS = 8;
export const WIDTH = 256;
export const MELS = 64;
export const WINDOW_SAMPLES = 400;
/** Real points of the Fourier transform. */
const FFT_POINTS = 512;
/** Frequencies that it gives. */
export const BINS = FFT_POINTS / 2 + 1;
export const FEATURES = 2 * MELS;
/** Answers of a half: logits of the visemes, of closure and of lip to teeth, and the openness, which nothing uses. */
export const VISEME_LOGITS = 15;
export const HALF_LOGITS = VISEME_LOGITS + 3;
export const LOGITS = 2 * HALF_LOGITS;
/** Most weights of the mel filters: each bin belongs to two bands. */
export const MEL_WEIGHTS_LIMIT = 2 * BINS;
/** Largest deviation of the graph's DFT from the exact one, real and imaginary part together; float32 rounds at
 *  3e-8. */
const DFT_TOLERANCE = 1e-6;

/** SHA-256 of `describeStructure` for the graph that the executor computes (lab/training/lip-sync/export.py). A
 *  graph with other weights has the same structure; one with other operators, wiring or constants does not. */
const KNOWN_STRUCTURE = "13830c909f302163a0dda9fafdb66c92ab9c8e8073581f0181263d36b3b83da6";

/** Constants that are tuned with the weights, by the outputs of their nodes. Their values are read, not checked. */
const TUNED = Object.freeze({
  closureLogOdds: "/Constant_59_output_0",
  biteExponent: "/Constant_74_output_0",
  sharedLogOdds: "/Constant_73_output_0",
});

/** What the answers of a half become probabilities with. */
export interface AnswerTuning {
  /** Added to the log odds of closure. */
  closureLogOdds: number;
  /** Exponent that turns the probability of lip to teeth into its share. */
  biteExponent: number;
  /** Added to the logits of sil and of the visemes from TH on, float32 [13]. */
  sharedLogOdds: Float32Array;
}

/** Weights of a mel band: those of `weights.length` bins from bin `first` on. */
export interface MelBand {
  first: number;
  weights: Float32Array;
}

/** A matrix, the bytes of its float16 values, row by row, and the bias of each row. */
export interface HalfMatrix {
  halves: Uint8Array;
  bias: Float32Array;
}

export interface NormWeights {
  weights: Float32Array;
  bias: Float32Array;
}

/** All parameters of the network. */
export interface LipSyncWeights {
  /** Shape of the analysis window, float32 [400]. */
  window: Float32Array;
  bands: MelBand[];
  /** [256 × 128]. */
  lift: HalfMatrix;
  /** [256 × 768] each, and the norm before each. */
  layers: { norm: NormWeights; mix: HalfMatrix }[];
  /** The norm before the answer, [256], and the answer, [36 × 256]. */
  norm: NormWeights;
  answer: HalfMatrix;
  tuning: AnswerTuning;
}

/** Returns the weights, or why the executor cannot compute this graph. All arrays have the sizes named above, and all
 *  float32 values are finite. Throws EngineError(bundle-invalid) if the bytes are not an ONNX model. */
export async function readLipSyncGraph(model: Uint8Array): Promise<LipSyncWeights | string> {
  const inspection = inspectModel(model);
  const structure = await sha256Hex(new TextEncoder().encode(describeStructure(inspection)));
  if (structure !== KNOWN_STRUCTURE) return `structure ${structure}`;
  const tensors = new Tensors(inspection);
  const dft = tensors.values("front.dft", [WINDOW_SAMPLES, 2 * BINS]);
  const filters = tensors.values("front.filters", [2 * BINS, MELS]);
  const lift = tensors.matrix("network.lift", WIDTH, FEATURES);
  const layers = Array.from({ length: LAYERS }, (_, layer) => ({
    norm: tensors.norm(`network.layers.${layer}.norm`),
    mix: tensors.matrix(`network.layers.${layer}.mix`, WIDTH, 3 * WIDTH),
  }));
  const norm = tensors.norm("network.norm");
  const answer = tensors.matrix("network.answer", LOGITS, WIDTH);
  const tuning = {
    closureLogOdds: tensors.floats(TUNED.closureLogOdds, [])[0],
    biteExponent: tensors.floats(TUNED.biteExponent, [])[0],
    sharedLogOdds: tensors.floats(TUNED.sharedLogOdds, [VISEME_LOGITS - 2]),
  };
  if (tensors.problem) return tensors.problem;
  const window = windowOf(dft);
  if (!window) return "front.dft is not a windowed Fourier transform";
  const bands = bandsOf(filters);
  if (!bands) return "front.filters are not triangles over the power of each bin";
  return { window, bands, lift, layers, norm, answer, tuning };
}

/** Everything about a graph but its weights, as text: operators, wiring, attributes, names, types and sizes, and the
 *  values of constants that are not tuned. */
function describeStructure(inspection: ModelInspection): string {
  const constants = constantsOf(inspection);
  const tuned = new Set<string>(Object.values(TUNED));
  return JSON.stringify({
    opsets: inspection.opsets,
    inputs: inspection.inputs,
    outputs: inspection.outputs,
    nodes: inspection.nodes.map((node) => [node.operator, node.inputs, node.outputs, [...node.attributes]]),
    weights: inspection.tensors.filter(({ name }) => name !== "").map(({ name, type, dims }) => [name, type, dims]),
    constants: [...constants].map(([name, { type, dims, raw }]) => [
      name,
      type,
      dims,
      tuned.has(name) ? null : [...raw],
    ]),
    extras: [...inspection.extras, ...inspection.externalData],
  });
}

/** Tensors of the Constant nodes by the outputs of the nodes. A node has one; they have no names and come in the order
 *  of the nodes. Empty if the numbers differ. */
function constantsOf({ nodes, tensors }: ModelInspection): Map<string, InspectedTensor> {
  const outputs = nodes.filter(({ operator }) => operator === "Constant").map((node) => node.outputs[0]);
  const values = tensors.filter(({ name }) => name === "");
  if (outputs.length !== values.length) return new Map();
  return new Map(outputs.map((output, k) => [output, values[k]]));
}

/** Finds tensors by name and remembers the first that does not fit. */
class Tensors {
  /** Why the weights cannot be used. */
  problem: string | undefined;
  readonly #tensors: ReadonlyMap<string, InspectedTensor>;

  constructor(inspection: ModelInspection) {
    const weights = inspection.tensors.map((tensor) => [tensor.name, tensor] as const);
    this.#tensors = new Map([...weights, ...constantsOf(inspection)]);
  }

  /** Values of a float32 tensor, which may be infinite or NaN; zeros if it does not fit. */
  values(name: string, dims: readonly number[]): Float32Array {
    return new Float32Array(new Uint8Array(this.#bytes(name, "float32", dims)).buffer);
  }

  /** Values of a float32 tensor, all finite. */
  floats(name: string, dims: readonly number[]): Float32Array {
    const values = this.values(name, dims);
    if (!values.every(Number.isFinite)) this.problem ??= `${name} has values that are not finite`;
    return values;
  }

  matrix(name: string, rows: number, columns: number): HalfMatrix {
    return {
      halves: this.#bytes(`${name}.weight_half`, "float16", [rows, columns]),
      bias: this.floats(`${name}.bias`, [rows]),
    };
  }

  norm(name: string): NormWeights {
    return { weights: this.floats(`${name}.weight`, [WIDTH]), bias: this.floats(`${name}.bias`, [WIDTH]) };
  }

  #bytes(name: string, type: OnnxType, dims: readonly number[]): Uint8Array {
    const size = dims.reduce((product, extent) => product * extent, ONNX_TYPE_BYTES[type]);
    const tensor = this.#tensors.get(name);
    const isFitting =
      tensor?.type === type && tensor.dims.join() === dims.join() && tensor.rawBytes === size && !tensor.hasTypedData;
    if (isFitting) return tensor.raw;
    this.problem ??= `${name} is not ${type} [${dims}]`;
    return new Uint8Array(size);
  }
}

/** The window of a DFT matrix [400 × 514], real parts before imaginary ones; undefined if it is anything else. */
function windowOf(dft: Float32Array): Float32Array | undefined {
  const cosines = cosineTable();
  const window = new Float32Array(WINDOW_SAMPLES);
  for (let n = 0; n < WINDOW_SAMPLES; n++) {
    window[n] = dft[n * 2 * BINS];
    if (!(dftDeviation(dft, n, window[n], cosines) <= DFT_TOLERANCE)) return undefined;
  }
  return window;
}

/** Largest deviation of row `n` of a DFT matrix with this weight of its sample. A function of its own, because it is
 *  compiled after a few rows; together with the loop over the rows it takes three times as long. */
function dftDeviation(dft: Float32Array, n: number, weight: number, cosines: Float32Array): number {
  const real = n * 2 * BINS;
  const imaginary = real + BINS;
  let largest = 0;
  for (let k = 0, turn = 0; k < BINS; k++, turn = (turn + n) % FFT_POINTS) {
    const sine = cosines[(turn + (FFT_POINTS * 3) / 4) % FFT_POINTS];
    const deviation = Math.abs(dft[real + k] - weight * cosines[turn]) + Math.abs(dft[imaginary + k] + weight * sine);
    // Written so that NaN is larger than any number.
    if (!(deviation <= largest)) largest = deviation;
  }
  return largest;
}

/** Cosine of 2πk / 512, float32 [512]. */
export function cosineTable(): Float32Array {
  return Float32Array.from({ length: FFT_POINTS }, (_, k) => Math.cos((2 * Math.PI * k) / FFT_POINTS));
}

/** The bands of a filter matrix [514 × 64]; its two halves weight the squares of the real and of the imaginary parts;
 *  undefined if the halves differ or there are too many weights. */
function bandsOf(filters: Float32Array): MelBand[] | undefined {
  const firsts = new Int32Array(MELS).fill(BINS);
  const ends = new Int32Array(MELS);
  for (let bin = 0; bin < BINS; bin++) {
    for (let mel = 0; mel < MELS; mel++) {
      const weight = filters[bin * MELS + mel];
      if (!Number.isFinite(weight) || weight !== filters[(BINS + bin) * MELS + mel]) return undefined;
      if (weight === 0) continue;
      firsts[mel] = Math.min(firsts[mel], bin);
      ends[mel] = bin + 1;
    }
  }
  const bands: MelBand[] = [];
  let count = 0;
  for (let mel = 0; mel < MELS; mel++) {
    const first = Math.min(firsts[mel], ends[mel]);
    const weights = new Float32Array(ends[mel] - first);
    for (let k = 0; k < weights.length; k++) weights[k] = filters[(first + k) * MELS + mel];
    bands.push({ first, weights });
    count += weights.length;
  }
  return count <= MEL_WEIGHTS_LIMIT ? bands : undefined;
}
