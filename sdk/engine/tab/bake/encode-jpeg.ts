// JPEG files by the browser.
import type { RgbImage } from "../../../../src/signal/image/raster.ts";
import { tabBakeError } from "./tab-bake-error.ts";

/** High, because avatars are baked from the picture that the service gets. */
const QUALITY = 0.95;

/** Throws TabBakeError `browser` if this browser draws nothing outside the page. */
export async function encodeJpeg({ data, widthPx, heightPx }: RgbImage): Promise<Blob> {
  const pixels = new ImageData(widthPx, heightPx);
  for (let from = 0, to = 0; from < data.length; from += 3, to += 4) {
    pixels.data[to] = data[from];
    pixels.data[to + 1] = data[from + 1];
    pixels.data[to + 2] = data[from + 2];
    pixels.data[to + 3] = 255;
  }
  const canvas = new OffscreenCanvas(widthPx, heightPx);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw tabBakeError("browser");
  context.putImageData(pixels, 0, 0);
  return canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
}
