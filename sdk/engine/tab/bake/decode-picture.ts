// Decodes a visitor's picture with the browser's own codecs.
import { createRgbImage, type RgbImage } from "../../../../src/signal/image/raster.ts";
import { readImageSize } from "../../../../src/signal/image/read-image-header.ts";
import { TabBakeError, tabBakeError } from "./tab-bake-error.ts";

/** As the service keeps them: more only costs time. */
const MAX_SIDE_PX = 2048;
/** Refused from the header where that tells, before a pixel is decoded: the browser holds four bytes for each. */
const MAX_PIXELS = 64_000_000;
const MAX_BYTES = 64_000_000;
/** What the service lays under transparent parts. */
const UNDER_TRANSPARENT = "#808080";
const HEIC = /^.{4}ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)/s;
const SVG = /^\s*<(?:\?xml|!--|!doctype svg|svg)/i;
/** Enough for the signatures above. */
const SNIFFED_BYTES = 256;

/** The first frame of a file, upright as the camera held it, at most 2048 px a side, transparency laid on grey. Throws
 *  TabBakeError: `picture` for what is no picture, or none that this browser opens; `picture-size`; `browser`. */
export async function decodePicture(file: Blob): Promise<RgbImage> {
  if (file.size > MAX_BYTES) {
    const megabytes = Math.ceil(file.size / 1e6);
    throw new TabBakeError(
      "picture-size",
      `The file has ${megabytes} MB. At most ${MAX_BYTES / 1e6} are accepted. Save it smaller and choose that file.`,
    );
  }
  const bytes = await readFile(file);
  const size = readImageSize(bytes);
  if (size) assertPixels(size.widthPx, size.heightPx);
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch((cause: unknown) => {
    throw new TabBakeError("picture", whyNot(bytes, file.type), { cause });
  });
  try {
    assertPixels(bitmap.width, bitmap.height);
    return readPixels(bitmap);
  } finally {
    bitmap.close();
  }
}

async function readFile(file: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.arrayBuffer());
  } catch (cause) {
    throw new TabBakeError("picture", "The file could not be read. Choose it again.", { cause });
  }
}

function assertPixels(widthPx: number, heightPx: number): void {
  const pixels = widthPx * heightPx;
  if (pixels <= MAX_PIXELS) return;
  throw new TabBakeError(
    "picture-size",
    `The picture has ${Math.ceil(pixels / 1e6)} megapixels. At most ${MAX_PIXELS / 1e6} are accepted. Scale it down and choose that file.`,
  );
}

function whyNot(bytes: Uint8Array, type: string): string {
  const start = String.fromCharCode(...bytes.subarray(0, SNIFFED_BYTES));
  if (HEIC.test(start)) {
    return "This browser cannot open HEIC pictures. Save the picture as JPEG and choose that file.";
  }
  if (SVG.test(start)) return "Vector drawings (SVG) are not accepted. Save the drawing as PNG and choose that file.";
  if (type !== "" && !type.startsWith("image/")) {
    return "This file is not a picture. Choose a JPEG, PNG, WebP or GIF file.";
  }
  return "This file is damaged, or the browser cannot open its format. Choose a JPEG, PNG, WebP or GIF file.";
}

function readPixels(bitmap: ImageBitmap): RgbImage {
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const widthPx = Math.max(1, Math.round(scale * bitmap.width));
  const heightPx = Math.max(1, Math.round(scale * bitmap.height));
  const context = new OffscreenCanvas(widthPx, heightPx).getContext("2d", { willReadFrequently: true });
  if (!context) throw tabBakeError("browser");
  context.imageSmoothingQuality = "high";
  context.fillStyle = UNDER_TRANSPARENT;
  context.fillRect(0, 0, widthPx, heightPx);
  context.drawImage(bitmap, 0, 0, widthPx, heightPx);
  const { data } = context.getImageData(0, 0, widthPx, heightPx);
  const image = createRgbImage(widthPx, heightPx);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    image.data[to++] = data[from];
    image.data[to++] = data[from + 1];
    image.data[to++] = data[from + 2];
  }
  return image;
}
