// Interface to ONNX Runtime, and to WebAssembly modules of our own: Node and the browser run the same code over both.
import type { InferenceSession, Tensor, TensorConstructor } from "onnxruntime-common";

/** The part of `onnxruntime-node` or `onnxruntime-web` that the engine uses. */
export interface InferenceRuntime {
  /** Loads a graph with one intra-op thread, so that many sessions share a machine fairly. Throws if the graph is
   *  refused. */
  createSession(model: Uint8Array): Promise<InferenceSession>;
  /** Compiles a WebAssembly file of this package, once; further calls for the same file return the same module. `file`:
   *  `new URL("./name.wasm", import.meta.url)` beside the module that runs it, in this spelling, because the bundler of
   *  pages replaces it by an address on the page's own origin. Rejects if the file cannot be read, or needs a feature
   *  that this machine lacks. */
  loadModule(file: URL): Promise<WebAssembly.Module>;
  readonly Tensor: TensorConstructor;
  /** Execution provider in use: `cpu`, `cuda`, `wasm` or `webgpu`. */
  readonly provider: string;
}

export type { InferenceSession, Tensor };
