// Selects the inference runtime that renders an avatar session: the one that a force-tier model name pins, or the
// worker's default.
import { EngineError } from "../../shared/engine-error.ts";
import { DEVICES, resolveModel } from "../../shared/models.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";

/** `model`: the job's model name. Throws EngineError(unavailable) if a pinned tier is not available; there is
 *  no fallback. */
export function renderingRuntime(model: string, own: InferenceRuntime): InferenceRuntime {
  const provider = resolveModel(model)?.provider ?? null;
  if (provider === null || provider === own.provider) return own;
  if (provider === "ane") throw new EngineError("unavailable", `This worker has no ${DEVICES.ane}.`);
  return createNodeRuntime({ provider });
}
