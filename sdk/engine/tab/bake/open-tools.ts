// What finding and baking need in a tab: the face networks, ONNX Runtime on one thread, and the browser's codecs.

import { FaceFinder } from "../../../../src/face/portrait/face-finder.ts";
import type { BakeTools } from "../../../../src/face/rig/bake-tools.ts";
import { encodeGreyPng } from "../../../../src/signal/image/encode-grey-png.ts";
import { createRgbImage } from "../../../../src/signal/image/raster.ts";
import { runsWebAssembly } from "../../../../src/signal/inference/runs-web-assembly.ts";
import { createWebRuntime } from "../../../../src/signal/inference/web-runtime.ts";
import { FACE_NETWORKS } from "../../face-networks.ts";
import { fetchBytes } from "../face/fetch-bytes.ts";
import { encodeJpeg } from "./encode-jpeg.ts";
import { tabBakeError } from "./tab-bake-error.ts";

const WARM_UP_PX = 256;
/** What is thrown in the place of a package that is not there: by webpack, Vite, and browsers without a bundler. */
const NOT_INSTALLED = /cannot find module|is it installed|could not resolve|resolve module specifier|bare specifier/i;

export interface TabTools {
  finder: FaceFinder;
  bake: BakeTools;
}

/** Fetches all of it, 5 MB compressed. Throws TabBakeError: `webassembly`, `network`, `browser`. */
export async function openTools(): Promise<TabTools> {
  if (!runsWebAssembly()) throw tabBakeError("webassembly");
  if (typeof OffscreenCanvas === "undefined") throw tabBakeError("browser");
  const files = FACE_NETWORKS;
  const [detector, mesh, iris, segmenter] = await Promise.all(
    [files.detector, files.mesh, files.iris, files.segmenter].map(fetchNetwork),
  );
  const runtime = await createWebRuntime({ provider: "wasm" });
  try {
    const finder = await FaceFinder.load(runtime, { detector, mesh, iris, segmenter });
    await warmUp(finder);
    return {
      finder,
      bake: {
        runtime,
        segmenter,
        encodePng: encodeGreyPng,
        encodeJpeg: async (image) => new Uint8Array(await (await encodeJpeg(image)).arrayBuffer()),
      },
    };
  } catch (cause) {
    if (NOT_INSTALLED.test(String(cause))) throw tabBakeError("package", cause);
    // ONNX Runtime reports that its own file was not found as a backend that there is not.
    throw tabBakeError(/fetch|network|no available backend/i.test(String(cause)) ? "network" : "browser", cause);
  }
}

/** Runs each network once, so that the browser has compiled them before a picture comes. */
async function warmUp(finder: FaceFinder): Promise<void> {
  const image = createRgbImage(WARM_UP_PX, WARM_UP_PX);
  await finder.find(image);
  const middle = WARM_UP_PX / 2;
  const box = { centreX: middle, centreY: middle, widthPx: middle, heightPx: middle };
  await finder.landmarks(image, { score: 1, box, keypoints: Float32Array.of(0, 0, 1, 0) });
  await finder.segment(image);
}

async function fetchNetwork(url: URL): Promise<Uint8Array> {
  try {
    return await fetchBytes(url);
  } catch (cause) {
    throw tabBakeError("network", cause);
  }
}
