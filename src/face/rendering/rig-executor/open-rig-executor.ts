// Opens the executor for a bundle, where it applies.

import type { I420Frame } from "../../../signal/image/i420-frame.ts";
import type { InferenceRuntime } from "../../../signal/inference/inference-runtime.ts";
import type { Imx } from "../../imx/imx.ts";
import { matchRig } from "./match-rig.ts";
import { RigExecutor } from "./rig-executor.ts";

/** Providers that compute on a processor. */
const PROCESSORS: readonly string[] = ["cpu", "wasm"];

/** The executor; null on a GPU, for a graph that our writer would not write, and where WebAssembly has no SIMD.
 *  `canvas`: the frame around the region, which the executor owns then. Throws EngineError(bundle-invalid) if the rig
 *  is no ONNX file, and what `loadModule` throws if the module cannot be read. */
export async function openRigExecutor(
  imx: Imx,
  runtime: InferenceRuntime,
  canvas: I420Frame,
): Promise<RigExecutor | null> {
  if (!PROCESSORS.includes(runtime.provider)) return null;
  const rig = matchRig(imx.rig);
  if ("mismatch" in rig || rig.shape.regionPx !== imx.manifest.region.sizePx) return null;
  const module = await loadRigModule(runtime);
  return module && new RigExecutor(module, rig, imx, canvas);
}

/** Compiles the module that all avatars of a process share; null where WebAssembly has no SIMD. Throws what
 *  `loadModule` throws if the file cannot be read. */
export function loadRigModule(runtime: InferenceRuntime): Promise<WebAssembly.Module | null> {
  return runtime.loadModule(new URL("./rig.wasm", import.meta.url)).catch((error: unknown) => {
    if (error instanceof WebAssembly.CompileError) return null;
    throw error;
  });
}
