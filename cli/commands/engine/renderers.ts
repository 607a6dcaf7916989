// What can render on this computer.
import { createRequire } from "node:module";
import { cudaProviderFile } from "../../../src/signal/inference/cuda-provider.ts";
import { listCards } from "../../../src/signal/inference/nvidia-smi.ts";
import { hasSimd } from "./has-simd.ts";

export const RENDERERS = ["wasm", "cpu", "cuda"] as const;
export type RendererName = (typeof RENDERERS)[number];

export interface RendererReport {
  renderer: RendererName;
  /** `unsupported`: this computer cannot have it. */
  state: "installed" | "missing" | "unsupported";
  /** Null where it is not installed, or has none of its own. */
  version: string | null;
  /** What it is for. */
  used_for: string;
  found: string;
  remedy?: string;
}

const CUDA_PLATFORM = "linux/x64";

/** All of them. Never throws. */
export async function findRenderers(): Promise<RendererReport[]> {
  return [await findWasm(), await findCpu(), await findCuda()];
}

async function findWasm(): Promise<RendererReport> {
  const shared = {
    renderer: "wasm",
    version: null,
    used_for: "faces and lip sync, in Node.js and in browsers",
  } as const;
  if (hasSimd()) return { ...shared, state: "installed", found: "WebAssembly with SIMD" };
  const remedy = "Start Node.js without --jitless, on a processor with SIMD.";
  return { ...shared, state: "unsupported", found: "no WebAssembly with SIMD", remedy };
}

async function findCpu(): Promise<RendererReport> {
  const shared = { renderer: "cpu", used_for: "making faces of pictures, and .imx files of other versions" } as const;
  try {
    const version = await loadCpuRenderer();
    return { ...shared, state: "installed", version, found: `ONNX Runtime ${version}` };
  } catch (error) {
    const found = `ONNX Runtime is not usable: ${error instanceof Error ? error.message.split("\n")[0] : error}`;
    return { ...shared, state: "missing", version: null, found, remedy: "avatar engine install" };
  }
}

async function findCuda(): Promise<RendererReport> {
  const shared = { renderer: "cuda", version: null, used_for: "sessions of a worker, many at a time" } as const;
  const platform = `${process.platform}/${process.arch}`;
  if (platform !== CUDA_PLATFORM) {
    return { ...shared, state: "unsupported", found: `this computer is ${platform}; it needs ${CUDA_PLATFORM}` };
  }
  const cards = await listCards().catch(() => []);
  if (cards.length === 0) return { ...shared, state: "unsupported", found: "no NVIDIA card is visible" };
  const names = cards.map(({ name }) => name).join(", ");
  const [{ driver }] = cards;
  const remedy = "avatar engine install cuda";
  if (providerFile() === null)
    return { ...shared, state: "missing", found: `${names}; the provider is missing`, remedy };
  return { ...shared, state: "installed", version: driver, found: `${names}; avatar doctor gpu checks it` };
}

/** Null without onnxruntime-node, too. */
function providerFile(): string | null {
  try {
    return cudaProviderFile();
  } catch {
    return null;
  }
}

/** Loads ONNX Runtime and the decoder of pictures; returns the version of the former. Throws what is missing. */
export async function loadCpuRenderer(): Promise<string> {
  const [{ InferenceSession }] = await Promise.all([import("onnxruntime-node"), import("sharp")]);
  if (!InferenceSession) throw new Error("onnxruntime-node is another package");
  const { version } = createRequire(import.meta.url)("onnxruntime-node/package.json") as { version: string };
  return version;
}
