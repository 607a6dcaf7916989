// All poses of an avatar side by side in one labelled image, for visual inspection.
import { type FacePose, toParameterVector } from "../../../shared/face-parameters.ts";
import { i420ToRgb } from "../../signal/image/i420-frame.ts";
import {
  createRgbImage,
  cropRgbImage,
  type PixelBox,
  pasteRgbImage,
  type RgbImage,
  toRgbImage,
} from "../../signal/image/raster.ts";
import { resize } from "../../signal/image/resize.ts";
import type { Avatar } from "./avatar.ts";
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
  /** Width of one cell, px. Default 256. */
  cellWidthPx?: number;
  /** Cells per row. Default 6. */
  columns?: number;
  /** Called after each pose. */
  onPose?: (pose: string) => void;
}

/** Position of each pose in a sheet. */
export interface SheetLayout {
  widthPx: number;
  heightPx: number;
  cells: readonly { pose: string; box: PixelBox; labelY: number }[];
}

/** The places of the poses in a sheet of an avatar's frames (or of the part that `crop` shows). */
export function layOutSheet(
  canvas: { widthPx: number; heightPx: number },
  options: ContactSheetOptions = {},
): SheetLayout {
  const poses = Object.keys(options.poses ?? SHEET_POSES);
  const crop = options.crop ?? canvas;
  const columns = options.columns ?? 6;
  const widthPx = options.cellWidthPx ?? 256;
  const heightPx = Math.round((widthPx * crop.heightPx) / crop.widthPx);
  const rowPx = heightPx + LABEL_HEIGHT_PX;
  const cells = poses.map((pose, index) => {
    const labelY = Math.floor(index / columns) * rowPx;
    return { pose, labelY, box: { x: (index % columns) * widthPx, y: labelY + LABEL_HEIGHT_PX, widthPx, heightPx } };
  });
  return { widthPx: widthPx * columns, heightPx: rowPx * Math.ceil(poses.length / columns), cells };
}

/** Renders every pose. Throws RangeError if the crop leaves the canvas. */
export async function renderContactSheet(avatar: Avatar, options: ContactSheetOptions = {}): Promise<RgbImage> {
  const poses = options.poses ?? SHEET_POSES;
  const crop = options.crop ?? { x: 0, y: 0, widthPx: avatar.widthPx, heightPx: avatar.heightPx };
  const layout = layOutSheet(avatar, options);
  const sheet = createRgbImage(layout.widthPx, layout.heightPx);
  const rest = toParameterVector(avatar.restPose);
  for (const { pose, box, labelY } of layout.cells) {
    const parameters = toParameterVector(poses[pose]);
    if (pose !== "photo") for (let i = 0; i < parameters.length; i++) parameters[i] += rest[i];
    const image = cropRgbImage(i420ToRgb(await avatar.render(parameters)), crop);
    const kernel = box.widthPx > crop.widthPx ? "lanczos" : "area";
    const at = { x: box.x + 2 * LABEL_SCALE, y: labelY + 2 * LABEL_SCALE, scale: LABEL_SCALE };
    drawText(sheet, pose, at, LABEL_COLOUR);
    pasteRgbImage(sheet, toRgbImage(resize(image, box, kernel)), box);
    options.onPose?.(pose);
  }
  return sheet;
}
