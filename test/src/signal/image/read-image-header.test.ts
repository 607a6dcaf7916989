import sharp from "sharp";
import t from "tap";
import { readImageHeader } from "../../../../src/signal/image/read-image-header.ts";

const source = () => sharp({ create: { width: 321, height: 123, channels: 4, background: "#abc8" } });

t.test("type and size of real files are read from their headers", async (t) => {
  const size = { widthPx: 321, heightPx: 123 };
  const files = {
    "image/jpeg": [await source().jpeg().toBuffer(), await source().jpeg({ progressive: true }).toBuffer()],
    "image/png": [await source().png().toBuffer()],
    "image/webp": [
      await source().webp().toBuffer(),
      await source().webp({ lossless: true }).toBuffer(),
      await source().removeAlpha().webp().toBuffer(),
    ],
  };
  for (const [type, [...contents]] of Object.entries(files)) {
    for (const content of contents) {
      t.same(readImageHeader(content), { type, ...size });
      t.equal(readImageHeader(content.subarray(0, content.length - 12)), undefined, `${type} cut off`);
      for (let length = 0; length < 40; length++) t.equal(readImageHeader(content.subarray(0, length)), undefined);
    }
  }
});

t.test("other files have no header", async (t) => {
  t.equal(readImageHeader(await source().gif().toBuffer()), undefined);
  t.equal(readImageHeader(Buffer.from("<svg/>")), undefined);
  t.equal(readImageHeader(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xd9])), undefined);
});
