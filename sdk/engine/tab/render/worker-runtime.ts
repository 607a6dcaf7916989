// What the worker renders with: our executors alone, which need no package.
import { Tensor } from "onnxruntime-common";
import { EngineError } from "../../../../shared/engine-error.ts";
import type { InferenceRuntime } from "../../../../src/signal/inference/inference-runtime.ts";
import { runsWebAssembly, runsWebAssemblySimd } from "../../../../src/signal/inference/runs-web-assembly.ts";
import { loadModuleOnce } from "../../../../src/signal/inference/wasm-modules.ts";
import { fetchFile } from "./fetch-file.ts";

/** Throws EngineError(unavailable) if this browser, or the page's policy, cannot run it. */
export function createWorkerRuntime(): InferenceRuntime {
  if (!runsWebAssembly()) {
    throw new EngineError(
      "unavailable",
      "This browser does not run WebAssembly here. Add 'wasm-unsafe-eval' to script-src of the page's policy, or use another browser.",
    );
  }
  if (!runsWebAssemblySimd()) {
    throw new EngineError(
      "unavailable",
      "This browser has no WebAssembly SIMD, which rendering needs: Chrome 91, Firefox 89, Safari 16.4 or later.",
    );
  }
  return {
    provider: "wasm",
    Tensor,
    // Compiled from bytes: not every server says that the file is WebAssembly.
    loadModule: (file) => loadModuleOnce(file, async ({ href }) => WebAssembly.compile(await fetchFile(href))),
    createSession: async () => {
      throw new EngineError(
        "bundle-outdated",
        "This .imx was baked by another version of the engine. Bake it again with this version, or update the package.",
      );
    },
  };
}
