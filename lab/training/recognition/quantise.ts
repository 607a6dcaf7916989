// Rounds the weights of a layer to 8 bits so that every processor multiplies them exactly.
import type { WeightTensor } from "./read-weights.ts";

export interface QuantisedWeights {
  /** int8 [inputs, outputs]. */
  bytes: Int8Array;
  /** What 1 means in each column, float32 [outputs]. */
  scales: Float32Array;
}

const LARGEST = 127;
/** Without VNNI, x86 multiplies pairs of neighbours and adds the two products in 16 bits: 255 · 128 fits, more does
 *  not. */
const LARGEST_PAIR = 128;

/** `weights`: [outputs, inputs], as they are stored. Each output has a scale of its own: the smallest at which no
 *  weight exceeds 127 and no pair of neighbours 128. Pairs reach the limit seldom, so this costs 0.1 to 0.4 bits. */
export function quantise({ dims: [outputs, inputs], values }: WeightTensor): QuantisedWeights {
  const bytes = new Int8Array(inputs * outputs);
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    const row = values.subarray(output * inputs, (output + 1) * inputs);
    let scale = Math.fround(smallestScale(row));
    while (!fits(row, scale)) scale = Math.fround(scale * 1.002);
    scales[output] = scale;
    for (let input = 0; input < inputs; input++) bytes[input * outputs + output] = Math.round(row[input] / scale);
  }
  return { bytes, scales };
}

function smallestScale(row: Float32Array): number {
  let scale = 1e-9;
  for (let i = 0; i < row.length; i += 2) {
    scale = Math.max(scale, Math.abs(row[i]) / LARGEST, Math.abs(row[i + 1]) / LARGEST);
    scale = Math.max(scale, pairSum(row[i], row[i + 1]) / LARGEST_PAIR);
  }
  return scale;
}

/** Whether all pairs fit after rounding. */
function fits(row: Float32Array, scale: number): boolean {
  for (let i = 0; i < row.length; i += 2) {
    if (pairSum(Math.round(row[i] / scale), Math.round(row[i + 1] / scale)) > LARGEST_PAIR) return false;
  }
  return true;
}

/** The largest size of a · left + b · right for a and b from 0 to 1. */
function pairSum(left: number, right: number): number {
  return Math.max(Math.max(left, 0) + Math.max(right, 0), -Math.min(left, 0) - Math.min(right, 0));
}
