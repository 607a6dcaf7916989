import { readFile } from "node:fs/promises";
import t from "tap";
import { toParameterVector } from "../../../../../shared/face-parameters.ts";
import { choosePortraitFace } from "../../../../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../../../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../../../../src/face/rig/bake-imx.ts";
import { createFaceGeometry } from "../../../../../src/face/rig/measure/face-geometry.ts";
import { fitToDrawnEyes } from "../../../../../src/face/rig/measure/fit-drawn-eyes.ts";
import { decodeImage } from "../../../../../src/signal/image/decode-image.ts";
import { i420ToRgb } from "../../../../../src/signal/image/i420-frame.ts";
import { createRgbImage, type RgbImage } from "../../../../../src/signal/image/raster.ts";
import { bakeTools, finder, photographedFace, runtime } from "../../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());

/** A flat drawing with large round eyes, which a face network marks too small. */
async function cartoon() {
  const file = new URL("../../../../fixtures/portraits/cartoon.png", import.meta.url);
  const image = await decodeImage(await readFile(file));
  return { image, points: (await choosePortraitFace(image, finder)).landmarks.points };
}

/** Whites and greens of the cartoon's eyes: its skin and its lines have far more red than blue. */
function eyeballPixels({ data }: RgbImage, isIn: (at: number) => boolean): number {
  let count = 0;
  for (let at = 0; at < data.length / 3; at++) {
    const [red, green, blue] = data.subarray(3 * at, 3 * at + 3);
    const isWhite = Math.min(red, green, blue) > 215;
    const isGreen = green > red + 25;
    if (isIn(at) && (isWhite || isGreen)) count++;
  }
  return count;
}

t.test("large drawn eyes shut completely", async (t) => {
  const face = await cartoon();
  const { imx, baked } = await bakeImx(face.image, face, bakeTools);
  const avatar = await openAvatar(imx, runtime);
  const frame = async (closure: number, gazeX: number) =>
    i420ToRgb(await avatar.render(toParameterVector({ close: 1, blinkL: closure, blinkR: closure, gazeX })));
  const { eyes } = createFaceGeometry(baked.points, baked.canvas.widthPx);
  const isAtEye = (at: number) => {
    const [x, y] = [at % baked.canvas.widthPx, Math.floor(at / baked.canvas.widthPx)];
    return eyes.some(({ frame }) => Math.abs(frame.u(x, y)) < 1.5 && Math.abs(frame.v(x, y)) < 1.2);
  };
  const open = eyeballPixels(await frame(0, 0), isAtEye);
  t.ok(open > 2000, `${open} pixels of the eyeballs are seen`);
  for (const gazeX of [-1, 0, 1]) {
    const left = eyeballPixels(await frame(1, gazeX), isAtEye);
    t.ok(left <= 0.05 * open, `gaze ${gazeX}: ${left} of ${open} are left`);
  }
  await avatar.close();
});

t.test("the margins of drawn eyes are those of the picture", async (t) => {
  const { image, points } = await cartoon();
  const marked = createFaceGeometry(points, image.widthPx);
  const fitted = fitToDrawnEyes(marked, image);
  for (const side of [0, 1]) {
    const [before, after] = [marked.eyes[side], fitted.eyes[side]];
    t.ok(after.frame.unitPx > 1.1 * before.frame.unitPx, "wider");
    t.ok(after.lower(0) - after.upper(0) > 1.1, "round");
    t.ok(Math.hypot(after.frame.centre.x - before.frame.centre.x, after.frame.centre.y - before.frame.centre.y) < 12);
  }
});

t.test("eyes of a photograph stay as they are marked", async (t) => {
  const { image, points } = await photographedFace();
  const geometry = createFaceGeometry(points, image.widthPx);
  t.equal(fitToDrawnEyes(geometry, image), geometry);
});

t.test("a drawing in which nothing sets the eyes off keeps its marks", async (t) => {
  const { image, points } = await cartoon();
  const plain = createRgbImage(image.widthPx, image.heightPx, new Uint8Array(image.data.length).fill(180));
  const geometry = createFaceGeometry(points, image.widthPx);
  t.same(fitToDrawnEyes(geometry, plain).eyes, geometry.eyes);
});
