// Whether this installation can draw on an NVIDIA card: onnxruntime's CUDA part is not in its npm package. Node only.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ServiceError } from "../../shared/errors.ts";

const LIBRARY: Partial<Record<NodeJS.Platform, string>> = {
  linux: "libonnxruntime_providers_cuda.so",
  win32: "onnxruntime_providers_cuda.dll",
};

/** Throws ServiceError(SERVICE_UNAVAILABLE), with a sentence that says what to do, unless onnxruntime's CUDA library is
 *  installed. That a card is there is only known once a graph is loaded. */
export function assertCudaInstalled(): void {
  const library = LIBRARY[process.platform];
  const isInstalled = library !== undefined && existsSync(join(onnxRuntimeFolder(), library));
  if (isInstalled) return;
  throw new ServiceError(
    "SERVICE_UNAVAILABLE",
    "This machine cannot draw on a graphics card: the CUDA part of onnxruntime-node is not installed " +
      "(docs/operating/gpu.md). Use the cpu provider.",
  );
}

/** Where the package keeps its native libraries for this machine. */
function onnxRuntimeFolder(): string {
  const packageFolder = dirname(createRequire(import.meta.url).resolve("onnxruntime-node/package.json"));
  return join(packageFolder, "bin", "napi-v6", process.platform, process.arch);
}
