// A square crop that stays inside its picture.
import type { PixelBox } from "../../src/signal/image/raster.ts";

export interface Size {
  widthPx: number;
  heightPx: number;
}

/** Smaller crops have too few pixels of a face. */
const LEAST_PX = 160;

/** The largest square in the middle of a picture. */
export function middleCrop({ widthPx, heightPx }: Size): PixelBox {
  const side = Math.min(widthPx, heightPx);
  return { x: Math.round((widthPx - side) / 2), y: Math.round((heightPx - side) / 2), widthPx: side, heightPx: side };
}

/** The crop moved by a distance, as far as the picture reaches. */
export function movedCrop(crop: PixelBox, rightPx: number, downPx: number, picture: Size): PixelBox {
  return fit(crop.x + rightPx, crop.y + downPx, crop.widthPx, picture);
}

/** The crop `factor` times as large, around the same middle. */
export function scaledCrop(crop: PixelBox, factor: number, picture: Size): PixelBox {
  const most = Math.min(picture.widthPx, picture.heightPx);
  const side = Math.round(Math.min(most, Math.max(Math.min(most, LEAST_PX), crop.widthPx * factor)));
  const growPx = (side - crop.widthPx) / 2;
  return fit(crop.x - growPx, crop.y - growPx, side, picture);
}

function fit(x: number, y: number, side: number, { widthPx, heightPx }: Size): PixelBox {
  const within = (start: number, length: number) => Math.round(Math.min(length - side, Math.max(0, start)));
  return { x: within(x, widthPx), y: within(y, heightPx), widthPx: side, heightPx: side };
}
