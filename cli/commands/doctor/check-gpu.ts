// Checks whether avatars can be rendered on this machine's GPU, step by step.
import type { GpuMachine } from "./gpu-machine.ts";
import { GPU_STEPS, type GpuStep, NEEDED_STEPS, REMEDIES } from "./gpu-steps.ts";

export interface CheckedStep {
  step: GpuStep;
  /** `waiting`: not looked at, because an earlier step is missing. */
  state: "ok" | "missing" | "waiting";
  /** What was found. */
  found: string;
  /** What to do, if it is missing. */
  remedy?: string;
}

const PLATFORM = "linux/x64";
/** Oldest driver that runs CUDA 12 programs on Linux. Source: NVIDIA's table of CUDA compatibility. */
const LEAST_DRIVER = [525, 60];
/** Processor and card round differently; the eye sees nothing below three levels. */
const LARGEST_DIFFERENCE = 2;
const FRAME_MS = 40;
/** Kept for peaks, as for processors. */
const USABLE_SHARE = 0.9;

/** All steps, in their order. `onStep` is called before each that is looked at. Never throws. */
export async function checkGpu(machine: GpuMachine, onStep: (step: GpuStep) => void): Promise<CheckedStep[]> {
  const checks = checksOf(machine);
  const checked: CheckedStep[] = [];
  for (const step of GPU_STEPS) {
    const waitsFor = NEEDED_STEPS[step].find((needed) =>
      checked.some((each) => each.step === needed && each.state !== "ok"),
    );
    if (waitsFor !== undefined) {
      checked.push({ step, state: "waiting", found: `for ${waitsFor}` });
      continue;
    }
    onStep(step);
    checked.push(await take(step, checks[step]));
  }
  return checked;
}

async function take(step: GpuStep, check: () => Promise<string>): Promise<CheckedStep> {
  try {
    return { step, state: "ok", found: await check() };
  } catch (error) {
    return { step, state: "missing", found: (error as Error).message, remedy: REMEDIES[step] };
  }
}

/** Each returns what it found, and throws what is missing. */
function checksOf(machine: GpuMachine): Record<GpuStep, () => Promise<string>> {
  let difference: number | null = null;
  return {
    async platform() {
      if (machine.platform !== PLATFORM) throw new Error(`this machine is ${machine.platform}`);
      return machine.platform;
    },

    async driver() {
      const text = await machine.readDriver();
      if (text === null) throw new Error("no NVIDIA driver is loaded");
      const [version, major, minor] = /\b(\d+)\.(\d+)(?:\.\d+)?\b/.exec(text) ?? [];
      if (version === undefined) throw new Error("the driver does not tell its version");
      const isOld =
        Number(major) < LEAST_DRIVER[0] || (Number(major) === LEAST_DRIVER[0] && Number(minor) < LEAST_DRIVER[1]);
      if (isOld) throw new Error(`the driver is version ${version}`);
      return `version ${version}`;
    },

    async card() {
      const cards = await machine.listCards();
      if (cards.length === 0) throw new Error("no card is visible to this process");
      return cards
        .map(
          ({ name, memoryBytes, freeMemoryBytes }) =>
            `${name}, ${gib(freeMemoryBytes)} of ${gib(memoryBytes)} GiB free`,
        )
        .join("; ");
    },

    async provider() {
      const file = machine.providerFile();
      if (file === null) throw new Error("onnxruntime's CUDA provider is not installed");
      return "onnxruntime's CUDA provider is installed";
    },

    async libraries() {
      const missing = await machine.missingLibraries(machine.providerFile() ?? "");
      if (missing.length > 0) throw new Error(`not found: ${missing.join(", ")}`);
      return "CUDA 12 and cuDNN 9 are found";
    },

    async load() {
      const metrics = await machine.measure();
      difference = metrics.largest_difference_to_single;
      const sessions = Math.floor((USABLE_SHARE * FRAME_MS) / metrics.wall_ms_per_frame);
      return (
        `a frame of ${metrics.region_px} × ${metrics.region_px} takes ${metrics.wall_ms_per_frame} ms of the card, ` +
        `${metrics.cpu_ms_per_frame} ms of a core: ${sessions} sessions by the card's time`
      );
    },

    async picture() {
      if (difference === null || difference > LARGEST_DIFFERENCE) {
        throw new Error(`frames differ from those of the CPU by up to ${difference} of 255 levels`);
      }
      return `as on the CPU, within ${difference} of 255 levels`;
    },
  };
}

function gib(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
