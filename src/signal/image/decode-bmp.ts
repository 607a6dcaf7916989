// Windows bitmaps, which sharp does not read.
import { EngineError } from "../../../shared/engine-error.ts";

/** Pixels as red, green, blue, alpha, from the top row down. */
export interface RgbaPixels {
  data: Uint8Array;
  widthPx: number;
  heightPx: number;
}

export interface BmpHeader {
  widthPx: number;
  heightPx: number;
  isTopDown: boolean;
  bitsPerPixel: number;
  compression: number;
  headerBytes: number;
  pixelOffset: number;
  paletteColours: number;
}

const FILE_HEADER_BYTES = 14;
const UNCOMPRESSED = 0;
const BIT_FIELDS = 3;

/** The header of a bitmap. Throws EngineError(invalid-input) if it is cut off or makes no sense. Source:
 *  Microsoft's BITMAPFILEHEADER and BITMAPINFOHEADER. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  if (bytes.length < FILE_HEADER_BYTES + 40) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerBytes = view.getUint32(14, true);
  const height = view.getInt32(22, true);
  const header = {
    widthPx: view.getInt32(18, true),
    heightPx: Math.abs(height),
    isTopDown: height < 0,
    bitsPerPixel: view.getUint16(28, true),
    compression: view.getUint32(30, true),
    headerBytes,
    pixelOffset: view.getUint32(10, true),
    paletteColours: view.getUint32(46, true),
  };
  if (headerBytes < 40 || header.widthPx < 1 || header.heightPx < 1) throw damaged();
  return header;
}

/** Decodes bitmaps of 8 (palette), 24 and 32 bits, uncompressed. Alpha is 255 unless bit fields declare it. Throws
 *  EngineError(invalid-input) for a damaged file, unsupported-media for rarer kinds. Call after checking the
 *  header's size. */
export function decodeBmp(bytes: Uint8Array): RgbaPixels {
  const header = readBmpHeader(bytes);
  const { widthPx, heightPx, bitsPerPixel } = header;
  const hasPlainPixels = header.compression === UNCOMPRESSED && [8, 24, 32].includes(bitsPerPixel);
  if (!hasPlainPixels && !(header.compression === BIT_FIELDS && hasBgraMasks(bytes, header))) {
    throw new EngineError("unsupported-media", "This type of BMP is not supported. Save the image as PNG or JPEG.");
  }
  const rowBytes = Math.ceil((widthPx * bitsPerPixel) / 32) * 4;
  if (header.pixelOffset + rowBytes * heightPx > bytes.length) throw damaged();
  const paletteStart = FILE_HEADER_BYTES + header.headerBytes;
  const hasAlpha = header.compression === BIT_FIELDS && header.headerBytes >= 56;
  const data = new Uint8Array(widthPx * heightPx * 4);
  for (let y = 0; y < heightPx; y++) {
    const row = header.pixelOffset + rowBytes * (header.isTopDown ? y : heightPx - 1 - y);
    for (let x = 0; x < widthPx; x++) {
      const step = row + (x * bitsPerPixel) / 8;
      const from = bitsPerPixel === 8 ? paletteStart + bytes[step] * 4 : step;
      if (from + 3 > bytes.length) throw damaged();
      const to = (y * widthPx + x) * 4;
      data[to] = bytes[from + 2];
      data[to + 1] = bytes[from + 1];
      data[to + 2] = bytes[from];
      data[to + 3] = hasAlpha ? bytes[from + 3] : 255;
    }
  }
  return { data, widthPx, heightPx };
}

/** True for 32-bit bit fields in the usual order: blue lowest, then green, then red. */
function hasBgraMasks(bytes: Uint8Array, header: BmpHeader): boolean {
  if (header.bitsPerPixel !== 32 || bytes.length < 66) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (
    view.getUint32(54, true) === 0xff0000 && view.getUint32(58, true) === 0xff00 && view.getUint32(62, true) === 0xff
  );
}

function damaged(): EngineError {
  return new EngineError("invalid-input", "The image is damaged or incomplete. Export it again and try again.");
}
