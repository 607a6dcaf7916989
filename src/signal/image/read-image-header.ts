// Type and size of an image from its header, without decoding a pixel: for images that are passed on. Decoders of
// foreign bytes belong into a process of their own.

export interface ImageHeader {
  type: "image/jpeg" | "image/png" | "image/webp";
  widthPx: number;
  heightPx: number;
}

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const PNG_END = Buffer.from("IEND\xae\x42\x60\x82", "latin1");
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/** Undefined if the bytes are no JPEG, PNG or WebP, or are damaged or cut off as far as that shows without decoding.
 *  Never throws. */
export function readImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (data.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng(data);
    if (data.subarray(0, 3).equals(JPEG_START)) return readJpeg(data);
    if (data.toString("latin1", 0, 4) === "RIFF" && data.toString("latin1", 8, 12) === "WEBP") return readWebp(data);
    return undefined;
  } catch {
    return undefined; // It ends within its header.
  }
}

/** Source: the PNG specification, 11.2.2: IHDR comes first. */
function readPng(data: Buffer): ImageHeader | undefined {
  if (data.toString("latin1", 12, 16) !== "IHDR" || !data.includes(PNG_END)) return undefined;
  return sized("image/png", data.readUInt32BE(16), data.readUInt32BE(20));
}

/** Source: ITU-T T.81, B.1.1.3: segments with their lengths, up to the frame header. */
function readJpeg(data: Buffer): ImageHeader | undefined {
  if (data.lastIndexOf(JPEG_END) < 0) return undefined;
  for (let at = 2; at < data.length; ) {
    if (data[at] !== 0xff) return undefined;
    const marker = data.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return sized("image/jpeg", data.readUInt16BE(at + 7), data.readUInt16BE(at + 5));
    // A fill byte, or a marker and its segment.
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Source: the WebP container specification: VP8X, VP8L and VP8 chunks. */
function readWebp(data: Buffer): ImageHeader | undefined {
  if (data.readUInt32LE(4) + 8 > data.length) return undefined;
  const chunk = data.toString("latin1", 12, 16);
  if (chunk === "VP8X") return sized("image/webp", data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1);
  if (chunk === "VP8 ") return sized("image/webp", data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
  if (chunk !== "VP8L") return undefined;
  const bits = data.readUInt32LE(21);
  return sized("image/webp", (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
}

function sized(type: ImageHeader["type"], widthPx: number, heightPx: number): ImageHeader | undefined {
  return widthPx > 0 && heightPx > 0 ? { type, widthPx, heightPx } : undefined;
}
