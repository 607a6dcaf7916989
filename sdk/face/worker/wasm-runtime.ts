// The engine on its own WebAssembly modules, without ONNX Runtime, which is fifty times as large as the face's script.
import { fromDataUrl } from "../../../shared/from-base64.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { runsWebAssembly, runsWebAssemblySimd } from "../../../src/signal/inference/runs-web-assembly.ts";
import { loadModuleOnce } from "../../../src/signal/inference/wasm-modules.ts";
import { FaceError } from "../face-error.ts";

export const wasmRuntime: InferenceRuntime = {
  provider: "wasm",
  get Tensor(): never {
    throw needsOtherRuntime();
  },
  loadModule: (file) => loadModuleOnce(file, compile),
  createSession: async () => {
    throw needsOtherRuntime();
  },
};

/** Throws FaceError where WebAssembly is forbidden or lacks SIMD. */
export function assertWebAssembly(): void {
  if (!runsWebAssembly())
    throw new FaceError(
      "blocked",
      "WebAssembly is not allowed here, which the face needs: add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy, or allow WebAssembly in the browser.",
    );
  if (!runsWebAssemblySimd())
    throw new FaceError("unsupported", "This browser has no WebAssembly SIMD, which the face needs. Update it.");
}

/** Also where the server does not send them as `application/wasm`, and where they are part of the script. */
async function compile(file: URL): Promise<WebAssembly.Module> {
  if (file.protocol === "data:") return WebAssembly.compile(fromDataUrl(file));
  const response = await fetch(file);
  if (!response.ok) throw new FaceError("not-loaded", `${file.pathname} answered ${response.status}.`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function needsOtherRuntime(): FaceError {
  return new FaceError(
    "bundle-invalid",
    "This avatar is of a kind that faces in pages do not render. Bake it again with this version.",
  );
}
