// A neural mouth that the operator supplies: an ONNX file of the Wav2Lip family. Input: a face without its lower half,
// the same face complete, and 200 ms of audio. Output: the face with a matching mouth.
import { EngineError } from "../../../shared/engine-error.ts";
import type { InferenceRuntime, InferenceSession, Tensor } from "../../signal/inference/inference-runtime.ts";
import { inspectModel } from "../../signal/onnx/inspect-model.ts";
import { MEL_BANDS, MEL_FRAMES } from "./mouth-mel.ts";

/** Sides of the face that networks of the family take, px. */
const FACE_SIZES = [96, 256];
const IN_CHANNELS = 6;
const OUT_CHANNELS = 3;

/** Names and size that a file's signature gives. */
interface Signature {
  mel: string;
  face: string;
  output: string;
  facePx: number;
}

export class QualityNetwork {
  /** Side of the face that goes in and comes out, px: 96 or 256. */
  readonly facePx: number;
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;
  readonly #signature: Signature;
  #closing: Promise<void> | undefined;

  private constructor(runtime: InferenceRuntime, session: InferenceSession, signature: Signature) {
    this.facePx = signature.facePx;
    this.#runtime = runtime;
    this.#session = session;
    this.#signature = signature;
  }

  /** Throws EngineError(unavailable) that says what the file should be, if the file is not an ONNX graph of
   *  the family, or the runtime refuses it. The operator's file is trusted: any ONNX operator is allowed. */
  static async load(runtime: InferenceRuntime, bytes: Uint8Array): Promise<QualityNetwork> {
    const signature = readSignature(bytes);
    const session = await runtime.createSession(bytes).catch((cause: unknown) => {
      throw unusable(`${runtime.provider} cannot load it`, cause);
    });
    return new QualityNetwork(runtime, session, signature);
  }

  /** `mel`: float32 [80 × 16]. `face`: float32 [6 × side × side], planes blue, green, red of the face with its lower
   *  half black, then of the whole face, 0..1. Gives float32 [3 × side × side], the same order and range. Throws
   *  TypeError if the network gives anything else. */
  async run(mel: Float32Array, face: Float32Array): Promise<Float32Array> {
    const { facePx } = this;
    const { mel: melName, face: faceName, output } = this.#signature;
    const outputs = await this.#session.run({
      [melName]: new this.#runtime.Tensor("float32", mel, [1, 1, MEL_BANDS, MEL_FRAMES]),
      [faceName]: new this.#runtime.Tensor("float32", face, [1, IN_CHANNELS, facePx, facePx]),
    });
    return faceOf(outputs[output], OUT_CHANNELS * facePx ** 2);
  }

  /** Releases the network. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#session.release();
    return this.#closing;
  }
}

/** The signature of a file, or an EngineError that says what it should be. A batch axis may have a name. */
function readSignature(bytes: Uint8Array): Signature {
  let model: ReturnType<typeof inspectModel>;
  try {
    model = inspectModel(bytes);
  } catch (cause) {
    throw unusable("it is not an ONNX file", cause);
  }
  // Weights may be listed as inputs as well, in files of old exporters.
  const weights = new Set(model.tensors.map(({ name }) => name));
  const inputs = model.inputs.filter(({ name }) => !weights.has(name));
  const fits = (dims: (number | string)[] | undefined, expected: readonly number[]) =>
    dims?.length === expected.length &&
    dims.every((size, axis) => size === expected[axis] || (axis === 0 && typeof size === "string"));
  const mel = inputs.find(({ dims, type }) => type === "float32" && fits(dims, [1, 1, MEL_BANDS, MEL_FRAMES]));
  for (const facePx of FACE_SIZES) {
    const face = inputs.find(({ dims, type }) => type === "float32" && fits(dims, [1, IN_CHANNELS, facePx, facePx]));
    const output = model.outputs.find(
      ({ dims, type }) => type === "float32" && fits(dims, [1, OUT_CHANNELS, facePx, facePx]),
    );
    if (mel && face && output && inputs.length === 2) {
      return { mel: mel.name, face: face.name, output: output.name, facePx };
    }
  }
  const shown = (values: typeof model.inputs) =>
    values.map(({ name, dims }) => `${name.slice(0, 40)} [${dims?.join(", ") ?? "?"}]`).join(" and ") || "nothing";
  throw unusable(`its inputs are ${shown(inputs)}, its outputs ${shown(model.outputs)}`);
}

function unusable(why: string, cause?: unknown): EngineError {
  return new EngineError(
    "unavailable",
    `The network named by AVATAR_QUALITY_NETWORK cannot be used: ${why}. Its inputs must be mel float32 [1, 1, 80, 16] and face float32 ` +
      "[1, 6, 96, 96] and its output float32 [1, 3, 96, 96], or all of these with 256.",
    { cause },
  );
}

function faceOf(tensor: Tensor | undefined, count: number): Float32Array {
  if (!(tensor?.data instanceof Float32Array) || tensor.data.length !== count) {
    throw new TypeError(`the mouth network must give ${count} values`);
  }
  return tensor.data;
}
