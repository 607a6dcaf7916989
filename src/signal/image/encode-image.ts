// Image files for posters, canvases and previews. Node only. The image library is loaded with the first image.
import type { Sharp } from "sharp";
import type { GreyImage, RgbImage } from "./raster.ts";

/** Of 100. Nothing is seen of it at the size of a thumbnail. */
const THUMBNAIL_QUALITY = 80;

/** A PNG of the image, without loss: 8 bits, RGB or grey. */
export async function encodePng(image: RgbImage | GreyImage): Promise<Uint8Array> {
  const opened = await open(image);
  const colours = image.channels === 1 ? opened.toColourspace("b-w") : opened;
  return encode(colours.png({ compressionLevel: 9, adaptiveFiltering: true }));
}

/** A JPEG of the image. `quality` 1..100, default 88; chroma at full resolution, because lips are small and red. */
export async function encodeJpeg(image: RgbImage, quality = 88): Promise<Uint8Array> {
  return encode((await open(image)).jpeg({ quality, chromaSubsampling: "4:4:4", mozjpeg: true }));
}

/** A WebP, `sidePx` square, of a square of an image file of ours: in px around its middle, moved and made smaller so
 *  that it lies within the image. */
export async function encodeThumbnail(
  file: Uint8Array,
  square: { centreX: number; centreY: number; sizePx: number },
  sidePx: number,
): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  const { width, height } = await sharp(file).metadata();
  const side = Math.floor(Math.min(square.sizePx, width, height));
  const within = (middle: number, size: number) => Math.max(0, Math.min(size - side, Math.round(middle - side / 2)));
  const box = { left: within(square.centreX, width), top: within(square.centreY, height), width: side, height: side };
  return encode(sharp(file).extract(box).resize(sidePx, sidePx).webp({ quality: THUMBNAIL_QUALITY, effort: 6 }));
}

/** Tried one after the other. */
const SMALL_QUALITIES = [80, 65, 50, 35, 20];

/** A small JPEG of opaque pixels: scaled down to `sidePx` on its longer side, and of the highest quality with at most
 *  `maxBytes`; half as large if none is small enough. */
export async function encodeSmallJpeg(
  { widthPx, heightPx, rgba }: { widthPx: number; heightPx: number; rgba: Uint8ClampedArray },
  { sidePx, maxBytes }: { sidePx: number; maxBytes: number },
): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  for (let side = sidePx; ; side = Math.ceil(side / 2)) {
    for (const quality of SMALL_QUALITIES) {
      const image = sharp(rgba, { raw: { width: widthPx, height: heightPx, channels: 4 } })
        .removeAlpha()
        .resize(side, side, { fit: "inside", withoutEnlargement: true });
      const jpeg = await encode(image.jpeg({ quality, mozjpeg: true }));
      if (jpeg.length <= maxBytes || side === 1) return jpeg;
    }
  }
}

async function open(image: RgbImage | GreyImage): Promise<Sharp> {
  const { default: sharp } = await import("sharp");
  return sharp(image.data, { raw: { width: image.widthPx, height: image.heightPx, channels: image.channels } });
}

async function encode(image: Sharp): Promise<Uint8Array> {
  const buffer = await image.toBuffer();
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
