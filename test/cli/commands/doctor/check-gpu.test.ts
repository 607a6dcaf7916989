// `avatar doctor gpu`: machines in every state, and the measurement itself, on the processor.
import { readFile } from "node:fs/promises";
import t from "tap";
import { checkGpu } from "../../../../cli/commands/doctor/check-gpu.ts";
import { type GpuMachine, measureIn } from "../../../../cli/commands/doctor/gpu-machine.ts";
import { GPU_STEPS } from "../../../../cli/commands/doctor/gpu-steps.ts";
import { listCards, type NvidiaCard } from "../../../../src/signal/inference/nvidia-smi.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const CARD: NvidiaCard = {
  index: 0,
  uuid: "GPU-1",
  name: "NVIDIA H100",
  driver: "550.54.15",
  memoryBytes: 80 * 2 ** 30,
  freeMemoryBytes: 79.5 * 2 ** 30,
  busyShare: 0,
};
const MEASURED = {
  provider: "cuda",
  batch: 1,
  region_px: 384,
  wall_ms_per_frame: 1.5,
  cpu_ms_per_frame: 0.4,
  frames_per_s: 666,
  largest_difference_to_single: 1,
} as const;

/** A machine on which everything is there, unless `other` says otherwise. */
function machine(other: Partial<GpuMachine> = {}): GpuMachine {
  return {
    platform: "linux/x64",
    readDriver: async () => "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar 5 22:23:56 UTC 2024",
    listCards: async () => [CARD],
    providerFile: () => "/lib/libonnxruntime_providers_cuda.so",
    missingLibraries: async () => [],
    measure: async () => MEASURED,
    ...other,
  };
}

t.test("each missing step is named with what to do, and only steps that need it wait", async (t) => {
  const stateOf = async (other: Partial<GpuMachine>) => {
    const steps = await checkGpu(machine(other), () => undefined);
    t.same(
      steps.map(({ step }) => step),
      GPU_STEPS,
    );
    for (const { state, remedy } of steps) t.equal(remedy !== undefined, state === "missing");
    return Object.fromEntries(steps.filter(({ state }) => state !== "ok").map(({ step, found }) => [step, found]));
  };
  t.same(await stateOf({}), {});
  t.match(await stateOf({ platform: "darwin/arm64" }), { platform: /darwin/, driver: "for platform", load: /^for/ });
  t.same(await stateOf({ readDriver: async () => null }), {
    driver: "no NVIDIA driver is loaded",
    card: "for driver",
    load: "for card",
    picture: "for load",
  });
  for (const version of ["470.256.02", "525.53"]) {
    const readDriver = async () => `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${version}  Thu`;
    t.match(await stateOf({ readDriver }), { driver: `the driver is version ${version}` });
  }
  t.match(await stateOf({ listCards: async () => [] }), { card: /no card/ });
  const failing = async () => Promise.reject(new Error("spawn nvidia-smi ENOENT"));
  t.match(await stateOf({ listCards: failing }), { card: /nvidia-smi/ });
  t.same(await stateOf({ providerFile: () => null }), {
    provider: "onnxruntime's CUDA provider is not installed",
    libraries: "for provider",
    load: "for libraries",
    picture: "for load",
  });
  const missingLibraries = async () => ["libcudnn.so.9", "libcublas.so.12"];
  t.match(await stateOf({ missingLibraries }), { libraries: "not found: libcudnn.so.9, libcublas.so.12" });
  const measure = async () => Promise.reject(new Error("CUDA failure 35"));
  t.match(await stateOf({ measure }), { load: "CUDA failure 35", picture: "for load" });
  const wrong = async () => ({ ...MEASURED, largest_difference_to_single: 40 });
  t.match(await stateOf({ measure: wrong }), { picture: /differ .* 40 of 255/ });
});

t.test("a measurement renders real frames in a process of its own, and tells why it could not", async (t) => {
  const metrics = await measureIn(process.env, "cpu", 2);
  t.match(metrics, { provider: "cpu", batch: 2, region_px: 384 });
  t.ok(metrics.wall_ms_per_frame > 0);
  t.ok(metrics.largest_difference_to_single <= 2, "frames of a batch are those that are rendered alone");
  const { error } = await measureIn(process.env, "cuda", 1).then(
    () => ({ error: "" }),
    (reason: Error) => ({ error: reason.message }),
  );
  if (error !== "") t.match(error, /CUDA/);
});

t.test("cards are read from the driver's program, also those that hide how busy they are", async (t) => {
  const output =
    "0, GPU-1, NVIDIA H100 80GB HBM3, 550.54.15, 81559, 81007, 37\n1, GPU-2, NVIDIA A100 MIG, 550.54.15, 9728, 9700, [N/A]\n";
  const cards = await listCards(async () => output);
  t.match(cards, [
    { name: "NVIDIA H100 80GB HBM3", freeMemoryBytes: 81_007 * 2 ** 20, busyShare: 0.37, uuid: "GPU-1" },
    { name: "NVIDIA A100 MIG", busyShare: null, index: 1 },
  ]);
  t.same(await listCards(async () => "No devices were found\n"), []);
});

t.test("the command's exit code says whether the machine is ready, and its document has every step", async (t) => {
  await withAvatarCommand(t.testdir(), async (run) => {
    const { code, stdout } = await run(["doctor", "gpu", "--json"]);
    const { ready, steps } = JSON.parse(stdout);
    t.equal(steps.length, GPU_STEPS.length);
    t.equal(code, ready ? 0 : 69);
  });
  const document = await readFile(new URL("../../../../docs/operating/gpu.md", import.meta.url), "utf8");
  const titles = [...document.matchAll(/^### \d+\. .*\(`(\w+)`\)$/gm)].map(([, step]) => step);
  t.same(titles, GPU_STEPS);
});
