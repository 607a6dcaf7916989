// Selects the inference runtime that renders an avatar session: the one that a force-tier model name pins, or the
// worker's default.
import { resolveModel } from "../../shared/models.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";

/** `model`: the job's model name. Throws EngineError(unavailable) if a pinned tier is not available; there is
 *  no fallback. */
export function renderingRuntime(model: string, own: InferenceRuntime): InferenceRuntime {
  const provider = resolveModel(model)?.provider ?? null;
  return provider === null || provider === own.provider ? own : createNodeRuntime({ provider });
}
