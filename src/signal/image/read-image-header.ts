// Type and size of an image from its header, without decoding a pixel: for images that are passed on, and for limits.
// Decoders of foreign bytes belong into a process or worker of their own.

export interface ImageHeader {
  type: "image/jpeg" | "image/png" | "image/webp";
  widthPx: number;
  heightPx: number;
}

const PNG_START = "\x89PNG\r\n\x1a\n";
const PNG_END = "IEND\xae\x42\x60\x82";
const JPEG_START = "\xff\xd8\xff";
const JPEG_END = "\xff\xd9";

/** Undefined if the bytes are no JPEG, PNG or WebP, or are damaged or cut off as far as that shows without decoding.
 *  Never throws. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const header = readImageSize(bytes);
  return header && isWhole(bytes, header.type) ? header : undefined;
}

/** The same of bytes that may be cut off after their header. Never throws. */
export function readImageSize(bytes: Uint8Array): ImageHeader | undefined {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (textAt(bytes, 0, 8) === PNG_START) return readPng(bytes, data);
    if (textAt(bytes, 0, 3) === JPEG_START) return readJpeg(data);
    if (textAt(bytes, 0, 4) === "RIFF" && textAt(bytes, 8, 12) === "WEBP") return readWebp(bytes, data);
    return undefined;
  } catch {
    return undefined; // It ends within its header.
  }
}

function isWhole(bytes: Uint8Array, type: ImageHeader["type"]): boolean {
  if (type === "image/webp") return new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true) + 8 <= bytes.length;
  return includesText(bytes, type === "image/png" ? PNG_END : JPEG_END);
}

function includesText(bytes: Uint8Array, text: string): boolean {
  for (let at = bytes.indexOf(text.charCodeAt(0)); at >= 0; at = bytes.indexOf(text.charCodeAt(0), at + 1)) {
    if (textAt(bytes, at, at + text.length) === text) return true;
  }
  return false;
}

/** Source: the PNG specification, 11.2.2: IHDR comes first. */
function readPng(bytes: Uint8Array, data: DataView): ImageHeader | undefined {
  if (textAt(bytes, 12, 16) !== "IHDR") return undefined;
  return sized("image/png", data.getUint32(16), data.getUint32(20));
}

/** Source: ITU-T T.81, B.1.1.3: segments with their lengths, up to the frame header. */
function readJpeg(data: DataView): ImageHeader | undefined {
  for (let at = 2; at < data.byteLength; ) {
    if (data.getUint8(at) !== 0xff) return undefined;
    const marker = data.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized("image/jpeg", data.getUint16(at + 7), data.getUint16(at + 5));
    // A fill byte, or a marker and its segment.
    at += marker === 0xff ? 1 : 2 + data.getUint16(at + 2);
  }
  return undefined;
}

/** Source: the WebP container specification: VP8X, VP8L and VP8 chunks. */
function readWebp(bytes: Uint8Array, data: DataView): ImageHeader | undefined {
  const chunk = textAt(bytes, 12, 16);
  const uint24 = (at: number) => data.getUint16(at, true) + 65_536 * data.getUint8(at + 2);
  if (chunk === "VP8X") return sized("image/webp", uint24(24) + 1, uint24(27) + 1);
  if (chunk === "VP8 ") {
    return sized("image/webp", data.getUint16(26, true) & 0x3fff, data.getUint16(28, true) & 0x3fff);
  }
  if (chunk !== "VP8L") return undefined;
  const bits = data.getUint32(21, true);
  return sized("image/webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function sized(type: ImageHeader["type"], widthPx: number, heightPx: number): ImageHeader | undefined {
  return widthPx > 0 && heightPx > 0 ? { type, widthPx, heightPx } : undefined;
}

/** A character for each byte. */
function textAt(bytes: Uint8Array, from: number, to: number): string {
  return Array.from(bytes.subarray(from, to), (byte) => String.fromCharCode(byte)).join("");
}
