// ONNX Runtime in Node.
import * as ort from "onnxruntime-node";
import { assertCudaInstalled } from "./cuda-provider.ts";
import type { InferenceRuntime } from "./inference-runtime.ts";

export interface NodeRuntimeOptions {
  /** Default `cpu`. With `cuda` and no GPU, the first session throws. */
  provider?: "cpu" | "cuda";
}

/** A runtime on onnxruntime-node: one intra-op and one inter-op thread per session, no spinning, because sessions share
 *  cores. Throws EngineError(unavailable) for `cuda` without onnxruntime's CUDA provider. */
export function createNodeRuntime(options: NodeRuntimeOptions = {}): InferenceRuntime {
  const provider = options.provider ?? "cpu";
  if (provider === "cuda") assertCudaInstalled();
  return {
    provider,
    Tensor: ort.Tensor,
    createSession: (model) =>
      ort.InferenceSession.create(model, {
        executionProviders: [provider],
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
        extra: { session: { intra_op: { allow_spinning: "0" } } },
      }),
  };
}
