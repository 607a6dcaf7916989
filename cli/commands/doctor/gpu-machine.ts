// What the check of a GPU asks a machine.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { cudaProviderFile } from "../../../src/signal/inference/cuda-provider.ts";
import { listCards, type NvidiaCard } from "../../../src/signal/inference/nvidia-smi.ts";
import { runCommand } from "../../start/processes/run-command.ts";
import type { BatchMetrics } from "./measure-batch.ts";

export interface GpuMachine {
  /** As `linux/x64`. */
  platform: string;
  /** What the loaded driver says of itself, or null without one. */
  readDriver(): Promise<string | null>;
  /** Throws if the driver's program is missing or fails. */
  listCards(): Promise<NvidiaCard[]>;
  /** Path of onnxruntime's CUDA library, or null if it is not installed. */
  providerFile(): string | null;
  /** Names of shared libraries that a library needs and the loader does not find. */
  missingLibraries(file: string): Promise<string[]>;
  /** Renders on the card, in a process of its own. Throws with the runtime's message. */
  measure(): Promise<BatchMetrics>;
}

/** Frames per call, as a worker renders them: one after the other. */
const FRAMES = 1;
const MEASURE_TIMEOUT_MS = 300_000;

/** This machine. `environment`: with LD_LIBRARY_PATH, as the service would have it. */
export function thisMachine(environment: NodeJS.ProcessEnv): GpuMachine {
  return {
    platform: `${process.platform}/${process.arch}`,
    readDriver: () => readFile("/proc/driver/nvidia/version", "utf8").catch(() => null),
    listCards: () => listCards(),
    providerFile: cudaProviderFile,
    async missingLibraries(file) {
      const { output } = await runCommand("ldd", [file], { env: environment });
      return [...output.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name);
    },
    measure: () => measureIn(environment, "cuda", FRAMES),
  };
}

/** Renders with a provider in a process of its own. Throws with the last lines that it wrote. */
export async function measureIn(
  environment: NodeJS.ProcessEnv,
  provider: BatchMetrics["provider"],
  batch: number,
): Promise<BatchMetrics> {
  const module = new URL("./measure-program.ts", import.meta.url);
  const args = [...moduleFlags(module), fileURLToPath(module), provider, String(batch)];
  const { status, output } = await runCommand(process.execPath, args, {
    env: environment,
    timeoutMs: MEASURE_TIMEOUT_MS,
  });
  const line = output.split("\n").findLast((each) => each.startsWith("{"));
  if (status === 0 && line) return JSON.parse(line) as BatchMetrics;
  throw new Error(lastMessage(output) || `the process ended with status ${status}`);
}

/** The message of the error that ended a program. */
function lastMessage(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  return lines.findLast((line) => /error/i.test(line) && !line.startsWith("at "))?.slice(0, 500) ?? "";
}
