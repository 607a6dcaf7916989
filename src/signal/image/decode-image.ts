// Decodes untrusted image files. Node only. The image library is loaded with the first image, because processes that
// only render need none.
import type { Sharp } from "sharp";
import { EngineError } from "../../../shared/engine-error.ts";
import { decodeBmp, readBmpHeader } from "./decode-bmp.ts";
import { createRgbImage, type RgbImage } from "./raster.ts";

/** Larger images are refused from their header, before a pixel is decoded: 40 megapixels are 120 MB as RGB. */
const MAX_IMAGE_PIXELS = 40_000_000;

/** Accepted types, detected from the bytes. Vector and document formats are excluded, because they can contain scripts
 *  and references. */
const IMAGE_TYPES = Object.freeze(["image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"]);

/** Transparent parts are laid on this grey: it suits light and dark drawings alike. */
const BACKGROUND = Object.freeze({ r: 128, g: 128, b: 128 });

/** libvips loaders that the accepted types need; every other is switched off for the process. */
const LOADERS = ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadNsgif"];

export interface DecodeImageOptions {
  /** Longest side of the result in px; a larger image is scaled down, sides in proportion. Default: unchanged. */
  maxSidePx?: number;
}

/** Decodes an image: the first frame of an animation, turned upright by its EXIF orientation, in sRGB, transparency
 *  laid on neutral grey. Throws EngineError: unsupported-media if the bytes are no JPEG, PNG, WebP, GIF or BMP,
 *  whatever the name says; too-large over 40 megapixels; invalid-input if damaged or cut off. */
export async function decodeImage(bytes: Uint8Array, options: DecodeImageOptions = {}): Promise<RgbImage> {
  const { fileTypeFromBuffer } = await import("file-type");
  const type = (await fileTypeFromBuffer(bytes))?.mime ?? "unknown";
  if (!IMAGE_TYPES.includes(type)) {
    throw new EngineError("unsupported-media", "The file is not a JPEG, PNG, WebP, GIF or BMP image.");
  }
  try {
    const source = type === "image/bmp" ? await openBmp(bytes) : await openWithSharp(bytes);
    if (options.maxSidePx) {
      source.resize({ width: options.maxSidePx, height: options.maxSidePx, fit: "inside", withoutEnlargement: true });
    }
    const { data, info } = await source
      .flatten({ background: BACKGROUND })
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return createRgbImage(info.width, info.height, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError("invalid-input", "The image is damaged or incomplete. Export it again and try again.", {
      cause: error,
    });
  }
}

async function openWithSharp(bytes: Uint8Array): Promise<Sharp> {
  const { default: sharp } = await import("sharp");
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: LOADERS });
  // The pixel limit is checked here for a clear message; sharp's own check has none.
  const image = sharp(bytes, { limitInputPixels: false, failOn: "error" });
  const { width, height } = await image.metadata();
  assertPixels(width, height);
  return image.autoOrient();
}

async function openBmp(bytes: Uint8Array): Promise<Sharp> {
  const { default: sharp } = await import("sharp");
  const header = readBmpHeader(bytes);
  assertPixels(header.widthPx, header.heightPx);
  const { data, widthPx, heightPx } = decodeBmp(bytes);
  return sharp(data, { raw: { width: widthPx, height: heightPx, channels: 4 } });
}

function assertPixels(widthPx: number, heightPx: number): void {
  if (widthPx * heightPx <= MAX_IMAGE_PIXELS) return;
  const megapixels = Math.ceil((widthPx * heightPx) / 1e6);
  throw new EngineError(
    "too-large",
    `The image has ${megapixels} megapixels. At most ${MAX_IMAGE_PIXELS / 1e6} are accepted. Scale it down and try again.`,
  );
}
