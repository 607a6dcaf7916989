// ONNX Runtime in Node, and WebAssembly modules from the disk.
import { readFile } from "node:fs/promises";
import { Tensor } from "onnxruntime-common";
import { assertCudaInstalled } from "./cuda-provider.ts";
import type { InferenceRuntime } from "./inference-runtime.ts";
import { loadModuleOnce } from "./wasm-modules.ts";

export interface NodeRuntimeOptions {
  /** Default `cpu`. With `cuda` and no GPU, the first session throws. */
  provider?: "cpu" | "cuda";
}

/** A runtime on onnxruntime-node: one intra-op and one inter-op thread per session, no spinning, because sessions share
 *  cores. onnxruntime-node is loaded with the first session: a process that needs no graph saves its memory. Throws
 *  EngineError(unavailable) for `cuda` without onnxruntime's CUDA provider. */
export function createNodeRuntime(options: NodeRuntimeOptions = {}): InferenceRuntime {
  const provider = options.provider ?? "cpu";
  if (provider === "cuda") assertCudaInstalled();
  return {
    provider,
    Tensor,
    createSession: async (model) => {
      const { InferenceSession } = await import("onnxruntime-node");
      return InferenceSession.create(model, {
        executionProviders: [provider],
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
        extra: { session: { intra_op: { allow_spinning: "0" } } },
      });
    },
    loadModule: (file) => loadModuleOnce(file, async (path) => WebAssembly.compile(await readFile(path))),
  };
}
