// Fills a size with an image of any shape.
import { cropRgbImage, type Plane, type RgbImage } from "./raster.ts";
import { resize } from "./resize.ts";

/** The middle of an image, scaled so that it fills the size; values 0..255. */
export function cover(image: RgbImage, size: { widthPx: number; heightPx: number }): Plane {
  const scale = Math.max(size.widthPx / image.widthPx, size.heightPx / image.heightPx);
  const widthPx = Math.max(1, Math.min(image.widthPx, Math.round(size.widthPx / scale)));
  const heightPx = Math.max(1, Math.min(image.heightPx, Math.round(size.heightPx / scale)));
  const middle = cropRgbImage(image, {
    x: Math.floor((image.widthPx - widthPx) / 2),
    y: Math.floor((image.heightPx - heightPx) / 2),
    widthPx,
    heightPx,
  });
  return resize(middle, size, scale < 1 ? "area" : "bilinear");
}
