// Faces for tests of baking and rendering, found or marked once a test file.
import { readFile } from "node:fs/promises";
import { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../../src/face/portrait/portrait-face.ts";
import type { StyleHints } from "../../../src/face/rig/measure/portrait-style.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import type { RgbImage } from "../../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";

export interface MarkedPortrait {
  image: RgbImage;
  points: Float32Array;
  style?: StyleHints;
}

export const runtime = createNodeRuntime();
export const bakeTools = await loadBakeTools(runtime);
export const finder = await FaceFinder.load(runtime, await loadFaceModels());

/** The photograph of the fixtures, which smiles with its teeth. */
export async function photographedFace(): Promise<MarkedPortrait> {
  const file = new URL("../../fixtures/portraits/astronaut.png", import.meta.url);
  const image = await decodeImage(await readFile(file));
  return { image, points: (await choosePortraitFace(image, finder)).landmarks.points };
}

/** A drawn person of the gallery, with exactly known points and a closed mouth. */
export async function drawnFace(): Promise<MarkedPortrait> {
  const gallery = new URL("../../../models/gallery/", import.meta.url);
  const image = await decodeImage(await readFile(new URL("maya.png", gallery)));
  const points = JSON.parse(await readFile(new URL("maya.points.json", gallery), "utf8")) as number[][];
  return { image, points: Float32Array.from(points.flat()), style: { tooth: [246, 240, 228], skin: [201, 138, 94] } };
}
