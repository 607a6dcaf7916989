// Reads the PNG files that bundles carry, in Node and in browsers alike. Not for uploads: see decode-image.ts.
import { EngineError } from "../../../shared/engine-error.ts";
import { inflateExactly } from "../inflate-exactly.ts";
import { PNG_FILTER_COUNT, predicted } from "./png-filters.ts";
import { createRgbImage, type GreyImage, type RgbImage } from "./raster.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const HEADER_START = 16;
const FIRST_CHUNK = 8;
/** The layouts that we write: 8 bits, RGB or grey, standard compression and filters, not interlaced. */
const BITS = 8;
const COLOUR_TYPE_RGB = 2;
const COLOUR_TYPE_GREY = 0;
const PLAIN = [0, 0, 0];
const MAX_PIXELS = 4096 * 4096;

/** An image from an 8-bit RGB PNG without interlacing. Throws EngineError(bundle-invalid) for anything else, and
 *  for data that is too short or too long. Source of the format: W3C PNG. */
export async function decodePng(bytes: Uint8Array): Promise<RgbImage> {
  const { widthPx, heightPx, pixels } = await decode(bytes, COLOUR_TYPE_RGB, "is not 8-bit RGB");
  return createRgbImage(widthPx, heightPx, pixels);
}

/** The same for grey PNGs. */
export async function decodeGreyPng(bytes: Uint8Array): Promise<GreyImage> {
  const { widthPx, heightPx, pixels } = await decode(bytes, COLOUR_TYPE_GREY, "is not 8-bit grey");
  return { widthPx, heightPx, data: pixels, channels: 1 };
}

/** The values in the header of a PNG, or null if the file is not a PNG. Reads only the header. */
export function readPngHeader(bytes: Uint8Array): { widthPx: number; heightPx: number; isGrey: boolean } | null {
  if (bytes.length < 33 || !SIGNATURE.every((byte, index) => bytes[index] === byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isGrey = bytes[HEADER_START + 9] === COLOUR_TYPE_GREY;
  return { widthPx: view.getUint32(HEADER_START), heightPx: view.getUint32(HEADER_START + 4), isGrey };
}

async function decode(bytes: Uint8Array, colourType: number, otherwise: string) {
  const header = readPngHeader(bytes);
  if (!header) throw refuse("is not a PNG");
  const { widthPx, heightPx } = header;
  const layout = [BITS, colourType, ...PLAIN];
  if (!layout.every((value, index) => bytes[HEADER_START + 8 + index] === value)) throw refuse(otherwise);
  if (widthPx < 1 || heightPx < 1 || widthPx * heightPx > MAX_PIXELS) throw refuse("has an invalid size");
  const channels = header.isGrey ? 1 : 3;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineBytes = heightPx * (1 + channels * widthPx);
  const lines = await inflateExactly(imageData(bytes, view), lineBytes, "deflate").catch((cause: unknown) => {
    throw refuse("cannot be unpacked", cause);
  });
  return { widthPx, heightPx, pixels: unfilter(lines, { widthPx, heightPx, channels }) };
}

function imageData(bytes: Uint8Array, view: DataView): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = FIRST_CHUNK; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    if (length > bytes.length - at - 12) throw refuse("is cut off");
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (type === "IDAT") parts.push(bytes.slice(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return parts;
}

function unfilter(
  lines: Uint8Array,
  { widthPx, heightPx, channels }: { widthPx: number; heightPx: number; channels: number },
): Uint8Array {
  const stride = channels * widthPx;
  const pixels = new Uint8Array(stride * heightPx);
  for (let y = 0; y < heightPx; y++) {
    const filter = lines[y * (stride + 1)];
    if (filter >= PNG_FILTER_COUNT) throw refuse("uses an unknown filter");
    const to = y * stride;
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? pixels[to + i - channels] : 0;
      const above = y > 0 ? pixels[to + i - stride] : 0;
      const corner = i >= channels && y > 0 ? pixels[to + i - stride - channels] : 0;
      pixels[to + i] = lines[y * (stride + 1) + 1 + i] + predicted(filter, left, above, corner);
    }
  }
  return pixels;
}

function refuse(what: string, cause?: unknown): EngineError {
  return new EngineError("bundle-invalid", `The image inside the bundle ${what}.`, { cause });
}
