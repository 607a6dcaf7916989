// Drawing in a browser tab: what a picture costs on one wasm thread, and on the graphics card where the browser has one.
import { openGallery } from "../../api/gallery/gallery.ts";
import { decodeImage } from "../../src/image/decode-image.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import { type EngineTab, withEngineTab } from "./engine-tab.ts";
import { gridSampleGraph } from "./grid-sample-graph.ts";
import { percentile } from "./percentile.ts";

/** Pictures are timed in turns with the yardstick, so that a machine at work for others disturbs both alike. */
const ROUNDS = 6;
const PICTURES_A_ROUND = 40;
const REGION_GOAL_MS = 8;

/** Bakes a bundled portrait and draws it in real headless Chromium. `*_ms` are wall clock, medians and the tenth percentile (the least
 *  disturbed tenth); CPU times are those of the tab's process. */
export async function benchBrowser() {
  const gallery = await openGallery();
  const { bytes: portrait, points } = await gallery.load(gallery.entries[0].id);
  const { bytes, imx } = await bakeImx(await decodeImage(portrait), { points }, { runtime: createNodeRuntime() });
  const { sizePx } = imx.manifest.region;
  const files = { "bundle.imx": bytes, "grid-sample.onnx": gridSampleGraph(sizePx) };
  return withEngineTab({ files }, async (tab) => ({
    browser: "headless Chromium",
    region_px: sizePx,
    canvas_px: imx.manifest.canvas.widthPx,
    goal_ms: REGION_GOAL_MS,
    wasm: await measure(tab, "wasm", sizePx),
    webgpu: (await tab.hasWebGpu())
      ? await measure(tab, "webgpu", sizePx)
      : "this browser has no WebGPU adapter on this machine",
  }));
}

async function measure(tab: EngineTab, provider: "wasm" | "webgpu", sizePx: number) {
  await tab.call("open", "bundle.imx", provider);
  const pictures: number[] = [];
  const samples: number[] = [];
  let cpuMs = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = await tab.cpuMs();
    pictures.push(...(await tab.call("timePictures", PICTURES_A_ROUND)));
    cpuMs += (await tab.cpuMs()) - before;
    samples.push(...(await tab.call("timeGraph", "grid-sample.onnx", [1, sizePx, sizePx, 2], PICTURES_A_ROUND)));
  }
  const conversions = await tab.call("timeConversion", PICTURES_A_ROUND);
  const medianMs = percentile(pictures, 0.5);
  return {
    picture_ms: round(medianMs),
    picture_ms_least_disturbed: round(percentile(pictures, 0.1)),
    cpu_ms_per_picture: round(cpuMs / (ROUNDS * (PICTURES_A_ROUND + WARM_UP_PICTURES))),
    grid_sample_ms: round(percentile(samples, 0.5)),
    grid_sample_ms_least_disturbed: round(percentile(samples, 0.1)),
    times_grid_sample: round(medianMs / percentile(samples, 0.5)),
    rgba_ms: round(percentile(conversions, 0.5)),
    is_within_goal: percentile(pictures, 0.1) <= REGION_GOAL_MS,
  };
}

/** Untimed pictures before each round; see `web/measure`. */
const WARM_UP_PICTURES = 5;

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
