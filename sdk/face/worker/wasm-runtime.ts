// The engine on its own WebAssembly modules, without ONNX Runtime, which is fifty times as large as the face's script.
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { loadModuleOnce } from "../../../src/signal/inference/wasm-modules.ts";
import { FaceError } from "../face-error.ts";

/** A memory with 128-bit numbers: the smallest module that only a browser with SIMD accepts. */
const SIMD_MODULE = Uint8Array.of(
  0,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  0x60,
  0,
  1,
  0x7b,
  3,
  2,
  1,
  0,
  10,
  10,
  1,
  8,
  0,
  0x41,
  0,
  0xfd,
  15,
  0xfd,
  98,
  11,
);

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
  try {
    new WebAssembly.Module(SIMD_MODULE.subarray(0, 8));
  } catch (cause) {
    throw new FaceError(
      "blocked",
      "WebAssembly is not allowed here, which the face needs: add 'wasm-unsafe-eval' to script-src of the page's Content-Security-Policy, or allow WebAssembly in the browser.",
      { cause },
    );
  }
  if (!WebAssembly.validate(SIMD_MODULE))
    throw new FaceError("unsupported", "This browser has no WebAssembly SIMD, which the face needs. Update it.");
}

/** Also where the server does not send them as `application/wasm`. */
async function compile(file: URL): Promise<WebAssembly.Module> {
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
