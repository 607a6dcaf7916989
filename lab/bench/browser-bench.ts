// Rendering in a browser tab: cost of a frame on one wasm thread, and on the GPU if the browser has one.

import { bakeFirst } from "../../cli/commands/doctor/bake-first.ts";
import { CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { type EngineTab, withEngineTab } from "./engine-tab.ts";
import { gridSampleGraph } from "./grid-sample-graph.ts";
import { percentile } from "./percentile.ts";
import { round } from "./round.ts";

/** Frames and the reference alternate, so that other load on the machine affects both alike. */
const ROUNDS = 6;
const FRAMES_PER_ROUND = 40;
/** Warm-up before the first round: the browser optimizes WebAssembly while it runs. */
const WARM_UP_FRAMES = 80;
/** Untimed frames that begin each round; see `web/measure`. */
const UNTIMED_FRAMES = 5;
/** Wall time of a frame in bare GridSamples of the region, in the same tab. */
const GOAL_OF_SAMPLES = 0.3;

/** Bakes a bundled portrait and renders it in real headless Chromium. CPU times are those of the tab's process: the
 *  median round and the least one. Other `*_ms` are wall-clock medians and 10th percentiles; the goal is compared with
 *  the ratio of the latter, which other load disturbs least. */
export async function benchBrowser() {
  const imx = await bakeFirst(createNodeRuntime(), "essence-2", CANVAS_SIZES["1:1"]);
  const { sizePx } = imx.manifest.region;
  const files = { "bundle.imx": await writeImx(imx), "grid-sample.onnx": gridSampleGraph(sizePx) };
  return withEngineTab({ files }, async (tab) => ({
    browser: "headless Chromium",
    region_px: sizePx,
    canvas_px: imx.manifest.canvas.widthPx,
    goal_times_grid_sample: GOAL_OF_SAMPLES,
    wasm: await measure(tab, "wasm", sizePx),
    webgpu: (await tab.hasWebGpu())
      ? await measure(tab, "webgpu", sizePx)
      : "this browser has no WebGPU adapter on this machine",
  }));
}

async function measure(tab: EngineTab, provider: "wasm" | "webgpu", sizePx: number) {
  await tab.call("open", "bundle.imx", provider);
  const frames: number[] = [];
  const samples: number[] = [];
  const cpuMs: number[] = [];
  await tab.call("timeFrames", WARM_UP_FRAMES);
  for (let round = 0; round < ROUNDS; round++) {
    const before = await tab.cpuMs();
    frames.push(...(await tab.call("timeFrames", FRAMES_PER_ROUND)));
    cpuMs.push(((await tab.cpuMs()) - before) / (FRAMES_PER_ROUND + UNTIMED_FRAMES));
    samples.push(...(await tab.call("timeGraph", "grid-sample.onnx", [1, sizePx, sizePx, 2], FRAMES_PER_ROUND)));
  }
  const conversions = await tab.call("timeConversion", FRAMES_PER_ROUND);
  const leastCpuMs = Math.min(...cpuMs);
  const [medianMs, leastMs] = [percentile(frames, 0.5), percentile(frames, 0.1)];
  const [sampleMs, leastSampleMs] = [percentile(samples, 0.5), percentile(samples, 0.1)];
  return {
    frame_ms: round(medianMs),
    frame_ms_least_disturbed: round(leastMs),
    cpu_ms_per_frame: round(percentile(cpuMs, 0.5)),
    cpu_ms_least_disturbed: round(leastCpuMs),
    grid_sample_ms: round(sampleMs),
    grid_sample_ms_least_disturbed: round(leastSampleMs),
    times_grid_sample: round(leastMs / leastSampleMs),
    rgba_ms: round(percentile(conversions, 0.5)),
    is_within_goal: leastMs / leastSampleMs <= GOAL_OF_SAMPLES,
  };
}
