// Runs WebAssembly that was built into the page: a saved file loads nothing.
import { Tensor } from "onnxruntime-common";
import { EngineError } from "../../shared/engine-error.ts";
import { fromDataUrl } from "../../shared/from-base64.ts";
import type { InferenceRuntime } from "../../src/signal/inference/inference-runtime.ts";
import { loadModuleOnce } from "../../src/signal/inference/wasm-modules.ts";

/** Loads the WebAssembly modules of our executor only. ONNX Runtime would make the file three times as large. */
export const builtInRuntime: InferenceRuntime = {
  provider: "wasm",
  Tensor,
  loadModule: (file) => loadModuleOnce(file, (address) => WebAssembly.compile(fromDataUrl(address))),
  createSession: async () => {
    throw new EngineError("unavailable", "This browser cannot render the face. Update it, or use another one.");
  },
};
