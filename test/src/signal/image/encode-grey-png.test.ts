import { readFile } from "node:fs/promises";
import sharp from "sharp";
import t from "tap";
import { decodeGreyPng } from "../../../../src/signal/image/decode-png.ts";
import { encodeGreyPng } from "../../../../src/signal/image/encode-grey-png.ts";
import { encodePng } from "../../../../src/signal/image/encode-image.ts";
import type { GreyImage } from "../../../../src/signal/image/raster.ts";

const PHOTO = new URL("../../../fixtures/portraits/astronaut.png", import.meta.url);

t.test("a grey PNG holds every pixel, also for other readers, and is no larger than sharp's", async (t) => {
  const { data, info } = await sharp(await readFile(PHOTO))
    .removeAlpha()
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  t.equal(info.channels, 1);
  const image: GreyImage = { data: new Uint8Array(data), widthPx: info.width, heightPx: info.height, channels: 1 };
  const png = await encodeGreyPng(image);
  t.same(await decodeGreyPng(png), image);
  const read = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  t.equal(read.info.width, image.widthPx);
  const channels = read.info.channels;
  t.ok(
    image.data.every((value, i) => read.data[i * channels] === value),
    "sharp reads the same",
  );
  const ofSharp = (await encodePng(image)).length;
  t.ok(png.length < 1.05 * ofSharp, `${png.length} bytes, sharp ${ofSharp}`);
});

t.test("smallest and odd sizes", async (t) => {
  for (const [widthPx, heightPx] of [
    [1, 1],
    [3, 2],
    [2, 5],
  ]) {
    const data = Uint8Array.from({ length: widthPx * heightPx }, (_, i) => (i * 97) % 256);
    const image: GreyImage = { data, widthPx, heightPx, channels: 1 };
    t.same(await decodeGreyPng(await encodeGreyPng(image)), image, `${widthPx} × ${heightPx}`);
  }
});
