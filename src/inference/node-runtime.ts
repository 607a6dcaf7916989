// ONNX Runtime in Node.
import * as ort from "onnxruntime-node";
import type { InferenceRuntime } from "./inference-runtime.ts";

export interface NodeRuntimeOptions {
  /** Default `cpu`. `cuda` throws at the first session if this machine has no CUDA provider. */
  provider?: "cpu" | "cuda";
}

/** A runtime on onnxruntime-node: one intra-op and one inter-op thread per session, spinning off (sessions share cores). */
export function createNodeRuntime(options: NodeRuntimeOptions = {}): InferenceRuntime {
  const provider = options.provider ?? "cpu";
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
