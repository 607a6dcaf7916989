// Checks for the CUDA provider of onnxruntime, which is not part of its npm package. Node only.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { EngineError } from "../../../shared/engine-error.ts";

const LIBRARY: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libonnxruntime_providers_cuda.so",
  win32: "onnxruntime_providers_cuda.dll",
};

/** Path of onnxruntime's CUDA library, or null if it is not installed. Whether there is a GPU is known only when a
 *  graph is loaded. */
export function cudaProviderFile(): string | null {
  const library = LIBRARY[process.platform];
  if (library === undefined) return null;
  const file = join(onnxRuntimeFolder(), library);
  return existsSync(file) ? file : null;
}

/** Throws EngineError(unavailable) with a remedy unless onnxruntime's CUDA library is installed. */
export function assertCudaInstalled(): void {
  if (cudaProviderFile() !== null) return;
  throw new EngineError(
    "unavailable",
    "This machine cannot render on a GPU: the CUDA provider of onnxruntime-node is not installed. " +
      "`avatar doctor gpu` says what is missing (docs/operating/gpu.md). Use the cpu provider.",
  );
}

/** Folder of the package's native libraries for this machine. */
function onnxRuntimeFolder(): string {
  const packageFolder = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
  return join(packageFolder, "bin", "napi-v6", process.platform, process.arch);
}
