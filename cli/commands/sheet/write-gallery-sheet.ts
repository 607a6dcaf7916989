// Implements `avatar gallery-sheet`.
import { readdir, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { FacePose } from "../../../shared/face-parameters.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { EXPRESSION_POSES } from "../../../src/face/motion/expression-poses.ts";
import { renderContactSheet } from "../../../src/face/rendering/contact-sheet.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { drawText, GLYPH_HEIGHT } from "../../../src/face/rendering/pixel-font.ts";
import { SHEET_POSES } from "../../../src/face/rendering/sheet-poses.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { encodePng } from "../../../src/signal/image/encode-image.ts";
import {
  createRgbImage,
  type PixelBox,
  pasteRgbImage,
  type RgbImage,
  toRgbImage,
} from "../../../src/signal/image/raster.ts";
import { resize } from "../../../src/signal/image/resize.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { isImx, readInput } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import type { ImageRequest } from "../bundle/image-options.ts";
import { openBundle } from "../bundle/open-bundle.ts";
import { type ResolvedImage, resolveImage } from "../bundle/resolve-image.ts";
import { assertWritable } from "../output-file.ts";
import { parseCount } from "../parse-count.ts";
import { openProgress } from "../progress-bar.ts";

export interface GallerySheetRequest extends Omit<ImageRequest, "points"> {
  output: string;
  family: string;
  cell: string;
  columns: string;
  /** Shows the expressions instead of the mouth shapes. */
  expressions?: boolean;
  json?: boolean;
}

const IMAGE_FILES = /\.(jpe?g|png|webp|bmp|imx)$/i;
const SHOWN = ["rest", "AA", "OO", "M B P", "F V", "smile", "blink"] as const;
const POSES: Poses = Object.fromEntries(SHOWN.map((pose) => [pose, SHEET_POSES[pose]]));
const LABEL_SCALE = 2;
const LABEL_HEIGHT_PX = (GLYPH_HEIGHT + 4) * LABEL_SCALE;
const NAME_COLOUR = [255, 255, 255] as const;
const REFUSED_COLOUR = [255, 96, 96] as const;
const MAX_CELL_PX = 1024;

type Poses = Readonly<Record<string, FacePose>>;

/** The result for one image. */
interface HungImage {
  name: string;
  image: RgbImage;
  /** Side of the region that moves, px; null for a refused image. */
  regionPx: number | null;
  /** CPU time of reading, finding the face and baking, s. */
  bakeCpuSeconds: number;
  /** What the command says about the image: that it is unsure, or why it is refused. */
  notes: string[];
}

/** Writes the wall and reports. An image that cannot be baked is shown with the reason. Throws CliError. */
export async function writeGallerySheet(folder: string, request: GallerySheetRequest): Promise<void> {
  const cellPx = parseCount(request.cell, "--cell", MAX_CELL_PX);
  const columns = parseCount(request.columns, "--columns", 16);
  const names = (await listFolder(folder)).filter((name) => IMAGE_FILES.test(name)).sort();
  if (names.length === 0) throw new CliError("no_input", `${folder} holds no image.`);
  const image = await resolveImage(request);
  const poses = request.expressions ? EXPRESSION_POSES : POSES;
  await assertWritable(request.output);
  await interruptible(async (signal) => {
    const runtime = createNodeRuntime();
    const progress = openProgress("rendering", names.length, request.json === true);
    const hung: HungImage[] = [];
    try {
      for (const name of names) {
        signal.throwIfAborted();
        hung.push(await hang(join(folder, name), { ...image, family: request.family, poses, cellPx, runtime }));
        progress.update(hung.length);
      }
    } finally {
      progress.stop();
    }
    await writeFile(request.output, await encodePng(wallOf(hung, columns)));
    if (request.json) writeJson({ output: request.output, pictures: hung.map(({ image: _, ...rest }) => rest) });
    else process.stdout.write(describe(request.output, hung));
  });
}

type HangOptions = ResolvedImage & { family: string; poses: Poses; cellPx: number; runtime: InferenceRuntime };

/** A strip of the image's canvas and its poses. */
async function hang(path: string, { cellPx, poses, ...options }: HangOptions): Promise<HungImage> {
  const columns = Object.keys(poses).length;
  const name = basename(path, extname(path));
  const notes: string[] = [];
  const strip = createRgbImage(cellPx * (columns + 1), cellPx + LABEL_HEIGHT_PX);
  const bytes = await readInput(path);
  const before = process.cpuUsage();
  let imx: Imx;
  try {
    imx = await openBundle(bytes, { ...options, onNote: (line) => notes.push(line) });
  } catch (error) {
    notes.push((error as Error).message);
    if (!isImx(bytes)) pasteFitting(strip, await decodeImage(bytes).catch(() => null), 0, cellPx);
    label(strip, `${name}: refused`, REFUSED_COLOUR);
    return { name, image: strip, regionPx: null, bakeCpuSeconds: secondsSince(before), notes };
  }
  const bakeCpuSeconds = secondsSince(before);
  const avatar = await openAvatar(imx, options.runtime);
  try {
    const region = regionOf(imx);
    const whole = await renderContactSheet(avatar, { poses: { rest: {} }, cellWidthPx: avatar.widthPx, columns: 1 });
    pasteFitting(strip, withoutLabel(whole, avatar.heightPx), 0, cellPx);
    const row = await renderContactSheet(avatar, { poses, crop: region, cellWidthPx: cellPx, columns });
    pasteRgbImage(strip, row, { x: cellPx, y: 0 });
  } finally {
    await avatar.close();
  }
  label(strip, name, notes.length > 0 ? REFUSED_COLOUR : NAME_COLOUR);
  return { name, image: strip, regionPx: imx.manifest.region.sizePx, bakeCpuSeconds, notes };
}

function regionOf({ manifest }: Imx): PixelBox {
  const { x, y, sizePx } = manifest.region;
  return { x, y, widthPx: sizePx, heightPx: sizePx };
}

/** The lower part of a sheet with one pose. */
function withoutLabel(sheet: RgbImage, heightPx: number): RgbImage {
  const from = 3 * sheet.widthPx * (sheet.heightPx - heightPx);
  return createRgbImage(sheet.widthPx, heightPx, sheet.data.slice(from));
}

/** Pastes an image into a square cell below the labels, as large as it fits. */
function pasteFitting(strip: RgbImage, image: RgbImage | null, x: number, cellPx: number): void {
  if (!image) return;
  const scale = cellPx / Math.max(image.widthPx, image.heightPx);
  const size = {
    widthPx: Math.max(1, Math.round(image.widthPx * scale)),
    heightPx: Math.max(1, Math.round(image.heightPx * scale)),
  };
  const scaled = toRgbImage(resize(image, size, scale < 1 ? "area" : "lanczos"));
  pasteRgbImage(strip, scaled, { x, y: LABEL_HEIGHT_PX });
}

function label(strip: RgbImage, text: string, colour: readonly [number, number, number]): void {
  drawText(strip, text, { x: 2 * LABEL_SCALE, y: 2 * LABEL_SCALE, scale: LABEL_SCALE }, colour);
}

/** All strips, column by column, so that neighbours in the folder hang below each other. */
function wallOf(hung: readonly HungImage[], columns: number): RgbImage {
  const { widthPx, heightPx } = hung[0].image;
  const rows = Math.ceil(hung.length / columns);
  const wall = createRgbImage(widthPx * Math.min(columns, hung.length), heightPx * rows);
  hung.forEach(({ image }, index) => {
    pasteRgbImage(wall, image, { x: widthPx * Math.floor(index / rows), y: heightPx * (index % rows) });
  });
  return wall;
}

function describe(output: string, hung: readonly HungImage[]): string {
  const lines = hung.flatMap(({ name, notes }) => notes.map((note) => `  ${name}: ${note}`));
  const refused = hung.filter(({ regionPx }) => regionPx === null).length;
  return `${[`${output}: ${hung.length} images, ${refused} refused`, ...lines].join("\n")}\n`;
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    throw new CliError("no_input", `${folder} is not a folder that can be read.`, { cause });
  }
}

function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
