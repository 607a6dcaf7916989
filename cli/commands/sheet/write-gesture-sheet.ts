// Implements `avatar gesture-sheet`.
import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { FACE_PARAMETER_COUNT, FACE_PARAMETERS, type FaceParameterName } from "../../../shared/face-parameters.ts";
import type { GestureName } from "../../../shared/gesture-names.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { GESTURE_SECONDS, gestureTrack } from "../../../src/face/gestures/gesture-track.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { Actor } from "../../../src/face/motion/actor.ts";
import { openAvatar } from "../../../src/face/rendering/open-avatar.ts";
import { drawText, GLYPH_HEIGHT, GLYPH_WIDTH } from "../../../src/face/rendering/pixel-font.ts";
import { encodePng } from "../../../src/signal/image/encode-image.ts";
import { i420ToRgb } from "../../../src/signal/image/i420-frame.ts";
import {
  createRgbImage,
  cropRgbImage,
  pasteRgbImage,
  type RgbImage,
  toRgbImage,
} from "../../../src/signal/image/raster.ts";
import { resize } from "../../../src/signal/image/resize.ts";
import type { InferenceRuntime } from "../../../src/signal/inference/inference-runtime.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { readInput } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import type { ImageRequest } from "../bundle/image-options.ts";
import { openBundle } from "../bundle/open-bundle.ts";
import { resolveImage } from "../bundle/resolve-image.ts";
import { assertWritable } from "../output-file.ts";
import { parseCount } from "../parse-count.ts";
import { openProgress } from "../progress-bar.ts";

export interface GestureSheetRequest extends Omit<ImageRequest, "points"> {
  output: string;
  gesture: GestureName;
  seconds?: string;
  seed: string;
  frames: string;
  cell: string;
  family: string;
  json?: boolean;
}

const LABEL_SCALE = 2;
const LABEL_HEIGHT_PX = (GLYPH_HEIGHT + 4) * LABEL_SCALE;
const COLOUR = [255, 255, 255] as const;
const STILL = new Float32Array(FACE_PARAMETER_COUNT);

/** One face of the sheet. */
interface GestureRow {
  name: string;
  image: RgbImage;
  /** Largest change from one frame to the next, with blinks, gaze and sway, of the parameters that moved. */
  largestSteps: Partial<Record<FaceParameterName, number>>;
}

interface RowOptions {
  track: (imx: Imx) => Float32Array;
  seed: number;
  frames: number;
  cellPx: number;
  runtime: InferenceRuntime;
}

/** Writes the sheet and reports. Throws CliError. */
export async function writeGestureSheet(portraits: readonly string[], request: GestureSheetRequest): Promise<void> {
  const { gesture } = request;
  const seconds = request.seconds === undefined ? undefined : parseSeconds(request.seconds);
  const seed = parseCount(request.seed, "--seed", 2 ** 31 - 1);
  const [frames, cellPx] = [parseCount(request.frames, "--frames", 250), parseCount(request.cell, "--cell", 1024)];
  const image = await resolveImage(request);
  await assertWritable(request.output);
  await interruptible(async (signal) => {
    const runtime = createNodeRuntime();
    const progress = openProgress("rendering", portraits.length, request.json === true);
    const track = ({ manifest }: Imx) => gestureTrack(gesture, { seconds, seed, face: manifest.gestureFace });
    const rows: GestureRow[] = [];
    try {
      for (const path of portraits) {
        signal.throwIfAborted();
        const imx = await openBundle(await readInput(path), { ...image, family: request.family, runtime });
        const name = basename(path, extname(path));
        rows.push(await renderRow(name, imx, { track, seed, frames, cellPx, runtime }));
        progress.update(rows.length);
      }
    } finally {
      progress.stop();
    }
    await writeFile(request.output, await encodePng(stack(rows.map((row) => row.image))));
    if (request.json) writeJson({ output: request.output, faces: rows.map(({ image: _, ...row }) => row) });
    else process.stdout.write(`${request.output}: ${gesture} on ${rows.length} faces\n`);
  });
}

/** The gesture as viewers see it: with blinks, gaze and sway. */
async function renderRow(name: string, imx: Imx, options: RowOptions): Promise<GestureRow> {
  const { track, seed, frames, cellPx, runtime } = options;
  const avatar = await openAvatar(imx, runtime);
  try {
    const gestures = new Map([["shown", track(imx)]]);
    const actor = new Actor({ ...avatar, seed, gestures });
    actor.trigger("shown");
    const ticks = (gestures.get("shown")?.length ?? 0) / FACE_PARAMETER_COUNT;
    const poses = Array.from({ length: ticks }, (_, tick) => actor.pose(tick, STILL, null).slice());
    const { x, y, sizePx } = imx.manifest.region;
    const region = { x, y, widthPx: sizePx, heightPx: sizePx };
    const image = createRgbImage(cellPx * frames, cellPx + LABEL_HEIGHT_PX);
    for (let column = 0; column < frames; column++) {
      const tick = Math.round((column * (ticks - 1)) / Math.max(1, frames - 1));
      const shown = cropRgbImage(i420ToRgb(await avatar.render(poses[tick])), region);
      const cell = toRgbImage(resize(shown, { widthPx: cellPx, heightPx: cellPx }, "area"));
      pasteRgbImage(image, cell, { x: column * cellPx, y: LABEL_HEIGHT_PX });
      const label =
        column === 0
          ? name.slice(0, Math.floor(cellPx / LABEL_SCALE / GLYPH_WIDTH) - 1)
          : ((tick * HOP_MS) / 1000).toFixed(2);
      drawText(image, label, { x: column * cellPx + 4, y: 4, scale: LABEL_SCALE }, COLOUR);
    }
    return { name, image, largestSteps: largestStepsOf(poses) };
  } finally {
    await avatar.close();
  }
}

function largestStepsOf(poses: readonly Float32Array[]): GestureRow["largestSteps"] {
  const steps = FACE_PARAMETERS.map((name, k) => {
    const largest = Math.max(...poses.slice(1).map((pose, i) => Math.abs(pose[k] - poses[i][k])));
    return [name, Math.round(largest * 1000) / 1000] as const;
  });
  return Object.fromEntries(steps.filter(([, largest]) => largest > 0));
}

function stack(images: readonly RgbImage[]): RgbImage {
  const sheet = createRgbImage(
    images[0].widthPx,
    images.reduce((sum, { heightPx }) => sum + heightPx, 0),
  );
  let y = 0;
  for (const image of images) {
    pasteRgbImage(sheet, image, { x: 0, y });
    y += image.heightPx;
  }
  return sheet;
}

function parseSeconds(text: string): number {
  const { least, most } = GESTURE_SECONDS;
  const seconds = Number(text);
  if (text.trim() !== "" && seconds >= least && seconds <= most) return seconds;
  throw new CliError("usage", `--seconds must be a number from ${least} to ${most}, not ${text}.`);
}
