// Which runtime draws an avatar session: the one that a force-tier name pins, or the worker's own.
import { resolveModel } from "../../shared/models.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";

/** `model`: as the job names it. A pinned tier never moves to another: throws ServiceError(SERVICE_UNAVAILABLE) where
 *  it cannot be had. */
export function drawingRuntime(model: string, own: InferenceRuntime): InferenceRuntime {
  const provider = resolveModel(model)?.provider ?? null;
  return provider === null || provider === own.provider ? own : createNodeRuntime({ provider });
}
