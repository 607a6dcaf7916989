import sharp from "sharp";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { decodeImage } from "../../../../src/signal/image/decode-image.ts";
import { encodeJpeg, encodePng } from "../../../../src/signal/image/encode-image.ts";
import { createRgbImage } from "../../../../src/signal/image/raster.ts";

/** Left half red, right half blue. */
const twoTone = createRgbImage(
  8,
  4,
  Uint8Array.from({ length: 96 }, (_, i) => {
    const isLeft = Math.floor(i / 3) % 8 < 4;
    return (i % 3 === 0 && isLeft) || (i % 3 === 2 && !isLeft) ? 255 : 0;
  }),
);

async function refusal(bytes: Uint8Array): Promise<{ code: string; message: string }> {
  try {
    await decodeImage(bytes);
  } catch (error) {
    if (isEngineError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("was accepted");
}

/** A bitmap of 24 bits, rows from the bottom up. */
function bmp(widthPx: number, heightPx: number, rgb: Uint8Array): Uint8Array {
  const rowBytes = Math.ceil((widthPx * 3) / 4) * 4;
  const bytes = new Uint8Array(54 + rowBytes * heightPx);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, widthPx, true);
  view.setInt32(22, heightPx, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < widthPx; x++) {
      const from = (y * widthPx + x) * 3;
      bytes.set([rgb[from + 2], rgb[from + 1], rgb[from]], 54 + (heightPx - 1 - y) * rowBytes + x * 3);
    }
  }
  return bytes;
}

t.test("PNG, WebP, GIF and BMP decode to the same pixels, JPEG almost", async (t) => {
  const raw = sharp(twoTone.data, { raw: { width: 8, height: 4, channels: 3 } });
  const files = {
    png: await encodePng(twoTone),
    webp: await raw.clone().webp({ lossless: true }).toBuffer(),
    gif: await raw.clone().gif().toBuffer(),
    bmp: bmp(8, 4, twoTone.data),
  };
  for (const [name, file] of Object.entries(files)) t.same(await decodeImage(file), twoTone, name);
  const jpeg = await decodeImage(await encodeJpeg(twoTone, 100));
  t.ok(jpeg.data.every((value, i) => Math.abs(value - twoTone.data[i]) < 12));
});

t.test("an image is rotated upright, composited on grey, converted to sRGB and scaled on request", async (t) => {
  const turned = await sharp(await encodePng(twoTone))
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100 })
    .toBuffer();
  const upright = await decodeImage(turned);
  t.same([upright.widthPx, upright.heightPx], [4, 8]);
  t.ok(upright.data[0] > 200 && upright.data[2] < 60, "what was left is now on top");
  const clear = await sharp({
    create: { width: 2, height: 2, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
  })
    .png()
    .toBuffer();
  t.same([...(await decodeImage(clear)).data], Array(12).fill(128));
  const grey16 = await sharp(twoTone.data, { raw: { width: 8, height: 4, channels: 3 } })
    .toColourspace("grey16")
    .png()
    .toBuffer();
  t.equal((await decodeImage(grey16)).data.length, 96, "one channel of 16 bits becomes three of 8");
  const cmyk = await sharp(await encodePng(twoTone))
    .toColourspace("cmyk")
    .jpeg()
    .toBuffer();
  t.equal((await decodeImage(cmyk)).data.length, 96, "four inks become three colours");
  const small = await decodeImage(await encodePng(twoTone), { maxSidePx: 4 });
  t.same([small.widthPx, small.heightPx], [4, 2]);
});

t.test("a file that is not an image is refused by its content, with a message", async (t) => {
  const text = (value: string) => new TextEncoder().encode(value);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
  const raw = sharp(twoTone.data, { raw: { width: 8, height: 4, channels: 3 } });
  for (const bytes of [
    text(svg),
    text(`<?xml version="1.0"?>${svg}`),
    text("<!doctype html><script>alert(1)</script>"),
    text("%PDF-1.7\n"),
    new Uint8Array(0),
    new Uint8Array(64),
    await raw.tiff().toBuffer(),
  ]) {
    t.match(await refusal(bytes), { code: "unsupported-media", message: /JPEG, PNG, WebP, GIF or BMP/ });
  }
});

t.test("an image of 100 megapixels is refused from its header", async (t) => {
  const png = new Uint8Array(
    await sharp({ create: { width: 10_000, height: 10_000, channels: 3, background: "red" } })
      .png()
      .toBuffer(),
  );
  t.match(await refusal(png), { code: "too-large", message: /100 megapixels. At most 40/ });
  const claimed = bmp(1, 1, new Uint8Array(3));
  new DataView(claimed.buffer).setInt32(18, 2 ** 30, true);
  t.equal((await refusal(claimed)).code, "too-large");
});

t.test("a damaged image is refused as damaged", async (t) => {
  const noise = createRgbImage(
    64,
    64,
    Uint8Array.from({ length: 64 * 64 * 3 }, (_, i) => (i * 7919) % 251),
  );
  const png = await encodePng(noise);
  const jpeg = await encodeJpeg(noise);
  const flipped = png.slice();
  flipped[Math.floor(png.length / 2)] ^= 0xff;
  for (const bytes of [png.subarray(0, png.length / 2), png.subarray(0, 60), flipped, jpeg.subarray(0, 200)]) {
    t.match(await refusal(bytes), { code: "invalid-input", message: /damaged/ });
  }
  t.equal((await refusal(bmp(9, 9, new Uint8Array(243)).subarray(0, 100))).code, "invalid-input");
});
