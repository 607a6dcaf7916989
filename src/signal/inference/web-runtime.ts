// ONNX Runtime in a browser tab, and WebAssembly modules from the page's own origin.
import { Tensor } from "onnxruntime-common";
import type { InferenceRuntime } from "./inference-runtime.ts";
import { loadModuleOnce } from "./wasm-modules.ts";

export interface WebRuntimeOptions {
  /** `wasm`: one CPU thread, in every browser. `webgpu`: the GPU; throws if there is none. `auto`: WebGPU if the
   *  browser has a hardware adapter, else wasm. Default `auto`. */
  provider?: "auto" | "wasm" | "webgpu";
}

export interface WebRuntime extends InferenceRuntime {
  readonly provider: "wasm" | "webgpu";
  /** The same module on the CPU, one wasm thread: for small recurrent networks, which are slower on a GPU. */
  readonly processor: InferenceRuntime;
}

type OnnxRuntimeWeb = typeof import("onnxruntime-web/wasm");

/** The part of WebGPU that tells whether there is an adapter. */
interface GpuAccess {
  requestAdapter(): Promise<{ info?: { isFallbackAdapter?: boolean } } | null>;
}

/** A runtime on onnxruntime-web. It is fetched at the first session, with its wasm module, from where the bundler put
 *  it: the page's own origin, never elsewhere. Throws Error for `webgpu` if the browser has no adapter. */
export async function createWebRuntime(options: WebRuntimeOptions = {}): Promise<WebRuntime> {
  const requested = options.provider ?? "auto";
  const provider = requested === "auto" ? ((await hasHardwareGpu()) ? "webgpu" : "wasm") : requested;
  if (provider === "webgpu" && !(await gpuAccess()?.requestAdapter())) {
    throw new Error("this browser has no WebGPU adapter");
  }
  const common = { Tensor, loadModule };
  return {
    ...common,
    provider,
    createSession: sessionMaker(provider, provider === "webgpu" ? ["webgpu", "wasm"] : ["wasm"]),
    processor: { ...common, provider: "wasm", createSession: sessionMaker(provider, ["wasm"]) },
  };
}

/** The browser compiles while it downloads. */
function loadModule(file: URL): Promise<WebAssembly.Module> {
  return loadModuleOnce(file, (address) => WebAssembly.compileStreaming(fetch(address)));
}

function sessionMaker(build: WebRuntime["provider"], executionProviders: string[]): InferenceRuntime["createSession"] {
  return async (model) =>
    (await loadOnnxRuntime(build)).InferenceSession.create(model, {
      executionProviders,
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      logSeverityLevel: 3,
    });
}

/** Two builds: the one with WebGPU is twice as large, so only browsers that use it load it. */
async function loadOnnxRuntime(build: WebRuntime["provider"]): Promise<OnnxRuntimeWeb> {
  let ort: OnnxRuntimeWeb;
  // Bundlers leave out a package that is not installed only if it is tried.
  try {
    ort = build === "webgpu" ? await import("onnxruntime-web/webgpu") : await import("onnxruntime-web/wasm");
  } catch (cause) {
    throw new Error(`onnxruntime-web cannot be loaded: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
  // More threads need cross-origin isolation and do not speed up a graph of this size.
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  return ort;
}

/** False for software adapters: wasm is faster. */
async function hasHardwareGpu(): Promise<boolean> {
  const adapter = await gpuAccess()
    ?.requestAdapter()
    .catch(() => null);
  return !!adapter && adapter.info?.isFallbackAdapter !== true;
}

function gpuAccess(): GpuAccess | undefined {
  return (globalThis.navigator as { gpu?: GpuAccess } | undefined)?.gpu;
}
