// What `avatar sheet` does.
import { writeFile } from "node:fs/promises";
import { resolveModel } from "../../shared/models.ts";
import { drawContactSheet } from "../../src/drawing/contact-sheet.ts";
import { openAvatar } from "../../src/drawing/open-avatar.ts";
import { decodeImage } from "../../src/image/decode-image.ts";
import { encodePng } from "../../src/image/encode-image.ts";
import type { Imx } from "../../src/imx/imx.ts";
import type { InferenceRuntime } from "../../src/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../src/inference/node-runtime.ts";
import { bakeImx } from "../../src/rig/bake-imx.ts";
import { CliError } from "../cli-error.ts";
import { readInput } from "../read-input.ts";
import { openBundle } from "./open-bundle.ts";
import { assertWritable } from "./output-file.ts";

export interface SheetRequest {
  output: string;
  /** JSON file with the face points of a picture whose face need not be found. */
  points?: string;
  family: string;
  closeUp?: boolean;
}

/** Writes the sheet. Throws CliError or ServiceError with a sentence for people. */
export async function writeSheet(path: string, request: SheetRequest): Promise<void> {
  const runtime = createNodeRuntime();
  const bytes = await readInput(path);
  await assertWritable(request.output);
  const imx = request.points
    ? await bakeMarked(bytes, request.points, request.family, runtime)
    : await openBundle(bytes, { family: request.family, runtime });
  const avatar = await openAvatar(imx, runtime);
  try {
    const { x, y, sizePx } = imx.manifest.region;
    const middle = {
      x: x + Math.round(0.25 * sizePx),
      y: y + Math.round(0.3 * sizePx),
      widthPx: Math.round(0.5 * sizePx),
      heightPx: Math.round(0.65 * sizePx),
    };
    const sheet = await drawContactSheet(avatar, request.closeUp ? { crop: middle, cellWidthPx: 320 } : {});
    await writeFile(request.output, await encodePng(sheet));
  } finally {
    await avatar.close();
  }
}

async function bakeMarked(
  bytes: Uint8Array,
  pointsPath: string,
  familyName: string,
  runtime: InferenceRuntime,
): Promise<Imx> {
  const model = resolveModel(familyName);
  if (!model) throw new CliError("usage", `There is no model family ${familyName}.`);
  const points = parsePoints(new TextDecoder().decode(await readInput(pointsPath)));
  if (!points) throw new CliError("usage", `${pointsPath} does not hold 478 points [x, y, z] as JSON.`);
  return (await bakeImx(await decodeImage(bytes), { points }, { family: model.family, runtime })).imx;
}

function parsePoints(text: string): Float32Array | null {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return null; // Told to the user as a file of the wrong kind.
  }
  const numbers: unknown[] = Array.isArray(json) ? json.flat() : [];
  if (numbers.length !== 3 * 478 || !numbers.every((value) => Number.isFinite(value))) return null;
  return Float32Array.from(numbers as number[]);
}
