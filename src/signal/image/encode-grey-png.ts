// Writes grey PNG files where there is no image library, as in a browser: its canvas writes colours only.
import { PNG_FILTER_COUNT, predicted } from "./png-filters.ts";
import type { GreyImage } from "./raster.ts";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const BITS = 8;
const CRC_POLYNOMIAL = 0xedb88320;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ CRC_POLYNOMIAL : rest >>> 1;
  return rest;
});

/** A PNG of 8 bits a pixel, without loss, for `decodeGreyPng`. Source of the format: W3C PNG. */
export async function encodeGreyPng({ data, widthPx, heightPx }: GreyImage): Promise<Uint8Array> {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, widthPx);
  view.setUint32(4, heightPx);
  // Colour type grey, deflate, adaptive filters, not interlaced: all zero.
  header[8] = BITS;
  const chunks = [
    chunk("IHDR", header),
    chunk("IDAT", await deflate(filterLines(data, widthPx))),
    chunk("IEND", new Uint8Array(0)),
  ];
  return concat([SIGNATURE, ...chunks.flat()]);
}

/** Each line with the filter that leaves the smallest differences, as the format's specification advises. */
function filterLines(data: Uint8Array, widthPx: number): Uint8Array<ArrayBuffer> {
  const heightPx = data.length / widthPx;
  const lines = new Uint8Array(heightPx * (widthPx + 1));
  const tried = new Uint8Array(widthPx);
  let above = new Uint8Array(widthPx);
  for (let y = 0; y < heightPx; y++) {
    const line = data.subarray(y * widthPx, (y + 1) * widthPx);
    const out = lines.subarray(y * (widthPx + 1), (y + 1) * (widthPx + 1));
    let least = Number.POSITIVE_INFINITY;
    for (let filter = 0; filter < PNG_FILTER_COUNT; filter++) {
      let sum = 0;
      for (let x = 0; x < widthPx; x++) {
        const left = x > 0 ? line[x - 1] : 0;
        const corner = x > 0 ? above[x - 1] : 0;
        tried[x] = line[x] - predicted(filter, left, above[x], corner);
        sum += tried[x] < 128 ? tried[x] : 256 - tried[x];
      }
      if (sum >= least) continue;
      least = sum;
      out[0] = filter;
      out.set(tried, 1);
    }
    above = line as Uint8Array<ArrayBuffer>;
  }
  return lines;
}

/** Length, type, content and checksum. */
function chunk(type: string, content: Uint8Array): Uint8Array[] {
  const named = concat([Uint8Array.from(type, (letter) => letter.charCodeAt(0)), content]);
  return [bigEndian(content.length), named, bigEndian(crc32(named))];
}

function bigEndian(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = CRC_TABLE[(rest ^ byte) & 255] ^ (rest >>> 8);
  return (rest ^ 0xffffffff) >>> 0;
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
