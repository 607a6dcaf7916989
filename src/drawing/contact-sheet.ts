// All poses of an avatar side by side in one labelled picture, for the eye to judge.
import { type FacePose, toParameterVector } from "../../shared/face-parameters.ts";
import { createRgbImage, cropRgbImage, type PixelBox, type RgbImage, toRgbImage } from "../image/raster.ts";
import { resize } from "../image/resize.ts";
import type { Avatar } from "./avatar.ts";
import { toRgbPicture } from "./i420-frame.ts";
import { drawText, GLYPH_HEIGHT } from "./pixel-font.ts";
import { SHEET_POSES } from "./sheet-poses.ts";

const LABEL_SCALE = 2;
const LABEL_HEIGHT_PX = (GLYPH_HEIGHT + 4) * LABEL_SCALE;
const LABEL_COLOUR = [255, 221, 0] as const;

export interface ContactSheetOptions {
  /** Named poses, added to the rest pose (except `photo`). Default `SHEET_POSES`. */
  poses?: Readonly<Record<string, FacePose>>;
  /** Part of the canvas to show. Default the whole. */
  crop?: PixelBox;
  /** Width of one picture. Default 256. */
  cellWidthPx?: number;
  /** Pictures in a row. Default 6. */
  columns?: number;
}

/** Draws every pose. Throws RangeError if the crop leaves the canvas. */
export async function drawContactSheet(avatar: Avatar, options: ContactSheetOptions = {}): Promise<RgbImage> {
  const poses = Object.entries(options.poses ?? SHEET_POSES);
  const crop = options.crop ?? { x: 0, y: 0, widthPx: avatar.widthPx, heightPx: avatar.heightPx };
  const columns = options.columns ?? 6;
  const cell = { widthPx: options.cellWidthPx ?? 256, heightPx: 0 };
  cell.heightPx = Math.round((cell.widthPx * crop.heightPx) / crop.widthPx);
  const rowPx = cell.heightPx + LABEL_HEIGHT_PX;
  const sheet = createRgbImage(cell.widthPx * columns, rowPx * Math.ceil(poses.length / columns));
  const rest = toParameterVector(avatar.restPose);
  for (const [index, [name, pose]] of poses.entries()) {
    const parameters = toParameterVector(pose);
    if (name !== "photo") for (let i = 0; i < parameters.length; i++) parameters[i] += rest[i];
    const picture = cropRgbImage(toRgbPicture(await avatar.draw(parameters)), crop);
    const kernel = cell.widthPx > crop.widthPx ? "lanczos" : "area";
    const scaled = toRgbImage(resize(picture, cell, kernel));
    const x = (index % columns) * cell.widthPx;
    const y = Math.floor(index / columns) * rowPx;
    drawText(sheet, name, { x: x + 2 * LABEL_SCALE, y: y + 2 * LABEL_SCALE, scale: LABEL_SCALE }, LABEL_COLOUR);
    place(sheet, scaled, x, y + LABEL_HEIGHT_PX);
  }
  return sheet;
}

function place(sheet: RgbImage, picture: RgbImage, x: number, y: number): void {
  const rowBytes = 3 * picture.widthPx;
  for (let row = 0; row < picture.heightPx; row++) {
    const from = row * rowBytes;
    sheet.data.set(picture.data.subarray(from, from + rowBytes), 3 * ((y + row) * sheet.widthPx + x));
  }
}
