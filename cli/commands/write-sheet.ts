// What `avatar sheet` does.
import { writeFile } from "node:fs/promises";
import { resolveModel } from "../../shared/models.ts";
import { drawContactSheet } from "../../src/drawing/contact-sheet.ts";
import { openAvatar } from "../../src/drawing/open-avatar.ts";
import { FaceFinder } from "../../src/face/face-finder.ts";
import { loadFaceModels } from "../../src/face/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait-face.ts";
import { decodeImage } from "../../src/image/decode-image.ts";
import { encodePng } from "../../src/image/encode-image.ts";
import type { RgbImage } from "../../src/image/raster.ts";
import type { Imx } from "../../src/imx/imx.ts";
import { readImx } from "../../src/imx/read-imx.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import { CliError } from "../cli-error.ts";
import { isImx, readInput } from "../read-input.ts";

export interface SheetRequest {
  output: string;
  points?: string;
  family: string;
  closeUp?: boolean;
}

/** Writes the sheet. Throws CliError or ServiceError with a sentence for people. */
export async function writeSheet(path: string, request: SheetRequest): Promise<void> {
  const runtime = createNodeRuntime();
  const bytes = await readInput(path);
  const imx = isImx(bytes) ? await readImx(bytes) : await bakePicture(bytes, request, runtime);
  const avatar = await openAvatar(imx, runtime);
  try {
    const { x, y, sizePx } = imx.manifest.region;
    const middle = { x: x + 0.25 * sizePx, y: y + 0.3 * sizePx, widthPx: 0.5 * sizePx, heightPx: 0.65 * sizePx };
    const crop = Object.fromEntries(Object.entries(middle).map(([name, value]) => [name, Math.round(value)]));
    const sheet = await drawContactSheet(
      avatar,
      request.closeUp ? { crop: { ...middle, ...crop }, cellWidthPx: 320 } : {},
    );
    await writeFile(request.output, await encodePng(sheet));
  } finally {
    await avatar.close();
  }
}

async function bakePicture(bytes: Uint8Array, request: SheetRequest, runtime: InferenceRuntime): Promise<Imx> {
  const model = resolveModel(request.family);
  if (!model) throw new CliError("usage", `There is no model family ${request.family}.`);
  const portrait = await decodeImage(bytes);
  const points = request.points ? await readPoints(request.points) : await findPoints(portrait, runtime);
  const { imx } = await bakeImx(portrait, { points }, { family: model.family, runtime });
  return imx;
}

async function findPoints(portrait: RgbImage, runtime: InferenceRuntime): Promise<Float32Array> {
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  return (await choosePortraitFace(portrait, finder)).landmarks.points;
}

async function readPoints(path: string): Promise<Float32Array> {
  const text = new TextDecoder().decode(await readInput(path));
  const numbers: unknown = (JSON.parse(text) as unknown[]).flat();
  if (!Array.isArray(numbers) || numbers.length !== 3 * 478 || !numbers.every(Number.isFinite)) {
    throw new CliError("usage", `${path} does not hold 478 points [x, y, z].`);
  }
  return Float32Array.from(numbers as number[]);
}
