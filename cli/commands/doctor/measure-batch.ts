// Renders many frames per call on CPU or GPU, and compares them with frames rendered one by one.
import { FACE_PARAMETER_COUNT, toParameterVector } from "../../../shared/face-parameters.ts";
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { BatchRenderer } from "../../../src/face/rendering/batch-renderer.ts";
import { SHEET_POSES } from "../../../src/face/rendering/sheet-poses.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { percentile } from "../../../src/signal/math/statistics.ts";
import { bakeFirst } from "./bake-first.ts";

export interface BatchMetrics {
  provider: "cpu" | "cuda";
  /** Frames per call. */
  batch: number;
  region_px: number;
  wall_ms_per_frame: number;
  cpu_ms_per_frame: number;
  frames_per_s: number;
  /** Grey levels, 0 to 255, between a frame of the batch and the same frame rendered alone on the CPU. */
  largest_difference_to_single: number;
}

const CALLS = 12;
const UNTIMED_CALLS = 3;

/** Wall-clock and CPU time per frame, and the largest difference from single frames of the CPU in grey levels. Throws
 *  EngineError(unavailable) if the provider is missing, RangeError for a batch below one. */
export async function measureBatch(provider: "cpu" | "cuda", batch: number): Promise<BatchMetrics> {
  const runtime = createNodeRuntime({ provider });
  const processor = createNodeRuntime();
  const imx = await bakeFirst(processor, "essence-2", CANVAS_SIZES["1:1"]);
  const renderer = await BatchRenderer.open(imx, runtime, batch);
  const poses = Object.values(SHEET_POSES).map(toParameterVector);
  const parameters = new Float32Array(batch * FACE_PARAMETER_COUNT);
  for (let i = 0; i < batch; i++) parameters.set(poses[i % poses.length], i * FACE_PARAMETER_COUNT);
  try {
    const wallMs: number[] = [];
    const cpuMs: number[] = [];
    for (let call = 0; call < CALLS + UNTIMED_CALLS; call++) {
      const cpuBefore = process.cpuUsage();
      const startedMs = performance.now();
      await renderer.render(parameters);
      if (call < UNTIMED_CALLS) continue;
      const { user, system } = process.cpuUsage(cpuBefore);
      wallMs.push((performance.now() - startedMs) / batch);
      cpuMs.push((user + system) / 1000 / batch);
    }
    const { y } = await renderer.render(parameters);
    const pixels = y.length / batch;
    const single = await processor.createSession(imx.rig);
    let largest = 0;
    for (let i = 0; i < Math.min(batch, poses.length); i++) {
      const params = new processor.Tensor("float32", poses[i], [1, FACE_PARAMETER_COUNT]);
      const alone = (await single.run({ params })).y.data as Uint8Array;
      for (let k = 0; k < pixels; k++) largest = Math.max(largest, Math.abs(alone[k] - y[i * pixels + k]));
    }
    await single.release();
    return {
      provider,
      batch,
      region_px: imx.manifest.region.sizePx,
      wall_ms_per_frame: round(percentile(wallMs, 50)),
      cpu_ms_per_frame: round(percentile(cpuMs, 50)),
      frames_per_s: Math.round(1000 / percentile(wallMs, 50)),
      largest_difference_to_single: largest,
    };
  } finally {
    await renderer.close();
  }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
