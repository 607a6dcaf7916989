// From a picture to an `.imx` in Node.
import { readFile } from "node:fs/promises";
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { FaceFinder, type FaceModels } from "../../../src/face/portrait/face-finder.ts";
import { faceFlaw } from "../../../src/face/portrait/face-flaw.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../../src/face/portrait/portrait-face.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { describeBakeNote } from "../../../src/face/rig/bake-notes.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { encodeJpeg, encodePng } from "../../../src/signal/image/encode-image.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import type { BakeOptions, PortraitSource } from "../bake-options.ts";
import { abortable } from "../core/abortable.ts";
import { FACE_NETWORKS } from "../face-networks.ts";
import { assertInstalled } from "./missing-packages.ts";
import { readBytes } from "./read-place.ts";

/** Throws as `bake`. */
export async function bakeInNode(portrait: PortraitSource, options: BakeOptions): Promise<Uint8Array<ArrayBuffer>> {
  assertInstalled("bake()", ["sharp", "onnxruntime-node"]);
  return abortable(bakeFace(portrait, options), options.signal);
}

async function bakeFace(portrait: PortraitSource, options: BakeOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { signal, onProgress, onNote, family, canvas = "1:1" } = options;
  const image = await decodeImage(await readBytes(portrait, signal));
  signal?.throwIfAborted();
  const runtime = createNodeRuntime();
  const models = await readNetworks();
  const finder = await FaceFinder.load(runtime, models);
  const face = await choosePortraitFace(image, finder).finally(() => finder.close());
  if (face.confidence < MIN_AUTOMATIC_CONFIDENCE) onNote?.(faceFlaw("unsure").message);
  signal?.throwIfAborted();
  const { imx, baked } = await bakeImx(
    image,
    { points: face.landmarks.points },
    { runtime, segmenter: models.segmenter, encodePng, encodeJpeg },
    { family, signal, onProgress, canvas: typeof canvas === "string" ? CANVAS_SIZES[canvas] : canvas },
  );
  for (const note of baked.notes) onNote?.(describeBakeNote(note, "this canvas"));
  return new Uint8Array(await writeImx(imx));
}

async function readNetworks(): Promise<FaceModels> {
  const { detector, mesh, iris, segmenter } = FACE_NETWORKS;
  const read = await Promise.all([detector, mesh, iris, segmenter].map((file) => readFile(file)));
  return { detector: read[0], mesh: read[1], iris: read[2], segmenter: read[3] };
}
