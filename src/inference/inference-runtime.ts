// Interface to ONNX Runtime: Node and the browser run the same code over their own builds.
import type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-common";

/** The part of `onnxruntime-node` or `onnxruntime-web` that the engine uses. */
export interface InferenceRuntime {
  /** Loads a graph with one intra-op thread, so that many sessions share a machine fairly. Throws if the graph is
   *  refused. */
  createSession(model: Uint8Array): Promise<InferenceSession>;
  readonly Tensor: TensorConstructor;
  /** Execution provider in use: `cpu`, `cuda`, `wasm` or `webgpu`. */
  readonly provider: string;
}

export type { InferenceSession, Tensor };
