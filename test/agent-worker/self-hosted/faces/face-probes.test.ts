// The benchmark of a self-hosted worker: what it says about a card. The time is measured in an integration test.
import t from "tap";
import { GpuLoad } from "../../../../agent-worker/capacity/gpu-load.ts";
import { FaceProbes } from "../../../../agent-worker/self-hosted/faces/face-probes.ts";
import type { NvidiaCard } from "../../../../src/signal/inference/nvidia-smi.ts";

const card = (index: number, name: string, usedGb: number): NvidiaCard => ({
  index,
  uuid: `GPU-${index}`,
  name,
  driver: "550.54.15",
  memoryBytes: 24e9,
  freeMemoryBytes: 24e9 - usedGb * 1e9,
  busyShare: 0,
});
const CARDS = [card(0, "NVIDIA A", 1), card(1, "NVIDIA B", 2.345)];

/** The benchmark of a worker with these cards. */
function benchmark(provider: "cpu" | "cuda", list: () => Promise<NvidiaCard[]>) {
  const load = new GpuLoad({ visibleDevices: "1", list });
  const unused = () => Promise.reject(new Error("not for a benchmark"));
  const probes = new FaceProbes({
    workshop: { measure: async () => 50, renderFrame: unused },
    bundles: undefined as never,
    service: { findModel: unused, download: unused },
    secret: undefined,
    defaultFace: async () => new Uint8Array(),
    provider,
    readCard: () => load.readCard(),
  });
  return probes.benchmark("2");
}

t.test("a benchmark names the card that renders, and the memory in use on it", async (t) => {
  const measured = { iterations: 2, frames_per_generate: 25, avg_ms: 50, fps: 500 };
  t.same(await benchmark("cuda", async () => CARDS), { ...measured, vram_gb: 2.35, gpu: "NVIDIA B" });
  t.same(await benchmark("cpu", async () => CARDS), { ...measured, vram_gb: 0, gpu: null }, "on a processor");
  const silent = await benchmark("cuda", () => Promise.reject(new Error("no nvidia-smi")));
  t.same(silent, { ...measured, vram_gb: 0, gpu: "cuda" }, "a driver that does not tell");
});
