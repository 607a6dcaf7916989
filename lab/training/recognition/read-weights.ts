// Reads the weights of a CTranslate2 file: a flat list of named tensors. Source: CTranslate2's model format, version 6.
import { readFileSync } from "node:fs";

export interface WeightTensor {
  dims: readonly number[];
  /** Row-major. */
  values: Float32Array;
}

/** Tensors by name, such as `encoder/conv1/weight`. */
export type Weights = (name: string) => WeightTensor;

const FORMAT_VERSION = 6;
const FLOAT16 = 4;

/** Reads a whole file. The result throws Error for a name that the file lacks, or that is not stored in half
 *  precision. */
export function readWeights(path: string): Weights {
  const bytes = readFileSync(path);
  let at = 0;
  const number = (size: 1 | 2 | 4): number => {
    at += size;
    return bytes.readUIntLE(at - size, size);
  };
  const text = (): string => {
    const length = number(2);
    at += length;
    // The last byte is zero.
    return bytes.toString("latin1", at - length, at - 1);
  };
  if (number(4) !== FORMAT_VERSION) throw new Error(`${path} is not of format ${FORMAT_VERSION}`);
  if (text() !== "WhisperSpec") throw new Error(`${path} holds no Whisper model`);
  number(4);
  const tensors = new Map<string, { dims: number[]; type: number; raw: Buffer }>();
  for (let left = number(4); left > 0; left--) {
    const name = text();
    const dims = Array.from({ length: number(1) }, () => number(4));
    const type = number(1);
    const length = number(4);
    tensors.set(name, { dims, type, raw: bytes.subarray(at, at + length) });
    at += length;
  }
  return (name) => {
    const tensor = tensors.get(name);
    if (tensor?.type !== FLOAT16) throw new Error(`${path} has no tensor ${name} in half precision`);
    const values = Float32Array.from({ length: tensor.raw.length / 2 }, (_, i) => half(tensor.raw.readUInt16LE(i * 2)));
    return { dims: tensor.dims, values };
  };
}

/** The value of IEEE 754 binary16 bits. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
