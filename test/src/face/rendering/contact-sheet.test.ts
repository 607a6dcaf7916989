import { readFile } from "node:fs/promises";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { renderContactSheet } from "../../../../src/face/rendering/contact-sheet.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { decodePng } from "../../../../src/signal/image/decode-png.ts";
import { encodePng } from "../../../../src/signal/image/encode-image.ts";
import { createI420Frame, i420ToRgb, pasteI420, toI420Frame } from "../../../../src/signal/image/i420-frame.ts";
import { createRgbImage } from "../../../../src/signal/image/raster.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { finder, runtime } from "../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());

/** Largest share of a golden's samples that may differ by more than 10 of 255. Kernels of other machines round
 *  differently, but this does not change the shape of faces. */
const DIFFERING_SHARE = 0.004;

for (const name of ["photograph", "drawing"] as const) {
  t.test(`every pose of the ${name} looks as in the approved contact sheet`, async (t) => {
    const avatar = await openAvatar(await bakedFace(name), runtime);
    const sheet = await renderContactSheet(avatar, { cellWidthPx: 128 });
    await avatar.close();
    const golden = await decodePng(await readFile(new URL(`../../../fixtures/goldens/${name}.png`, import.meta.url)));
    t.same([sheet.widthPx, sheet.heightPx], [golden.widthPx, golden.heightPx]);
    let differing = 0;
    for (let i = 0; i < sheet.data.length; i++) if (Math.abs(sheet.data[i] - golden.data[i]) > 10) differing++;
    const share = differing / sheet.data.length;
    t.ok(share <= DIFFERING_SHARE, `${(100 * share).toFixed(3)} % differ; see test/fixtures/goldens/README.md`);
  });
}

t.test("an image converted to I420 and back differs only by the chroma loss", async (t) => {
  const image = createRgbImage(
    8,
    8,
    new Uint8Array(192).map((_, i) => (i % 3 === 0 ? 200 : 90)),
  );
  const frame = toI420Frame(image);
  t.equal(frame.data.length, 96);
  t.ok(i420ToRgb(frame).data.every((value, index) => Math.abs(value - image.data[index]) <= 2));
  t.throws(() => createI420Frame(7, 8), RangeError);
});

t.test("a pasted square is at its position in all three planes", async (t) => {
  const frame = createI420Frame(8, 6);
  pasteI420(frame, { y: new Uint8Array(16).fill(9), uv: new Uint8Array(8).fill(7) }, { x: 2, y: 2, sizePx: 4 });
  const rows = (from: number, width: number, count: number) =>
    Array.from({ length: count }, (_, row) => [...frame.data.subarray(from + row * width, from + (row + 1) * width)]);
  t.same(rows(0, 8, 6)[1], [0, 0, 0, 0, 0, 0, 0, 0]);
  t.same(rows(0, 8, 6)[2], [0, 0, 9, 9, 9, 9, 0, 0]);
  t.same(rows(48, 4, 3), [
    [0, 0, 0, 0],
    [0, 7, 7, 0],
    [0, 7, 7, 0],
  ]);
  t.same(rows(60, 4, 3), rows(48, 4, 3));
});

t.test("PNG files of bundles are read back exactly, and other files are refused", async (t) => {
  const image = createRgbImage(
    37,
    21,
    new Uint8Array(37 * 21 * 3).map((_, i) => (i * i) % 251),
  );
  const png = await encodePng(image);
  t.ok(Buffer.from((await decodePng(png)).data).equals(image.data));
  const claim = png.slice();
  new DataView(claim.buffer, claim.byteOffset).setUint32(20, 4000);
  const broken = png.slice();
  broken[60] ^= 0xff;
  for (const bytes of [png.subarray(0, 60), png.subarray(8), claim, broken, new Uint8Array(0)]) {
    const failure = await decodePng(bytes).catch((error: unknown) => error);
    t.ok(isEngineError(failure) && failure.code === "bundle-invalid", String(failure));
  }
});
