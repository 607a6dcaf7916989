import t from "tap";
import { type FacePose, toParameterVector } from "../../../../../shared/face-parameters.ts";
import { openAvatar } from "../../../../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../../../../src/face/rig/bake-imx.ts";
import { createFaceGeometry } from "../../../../../src/face/rig/measure/face-geometry.ts";
import { luma, type Rgb } from "../../../../../src/face/rig/measure/rgb.ts";
import { i420ToRgb } from "../../../../../src/signal/image/i420-frame.ts";
import { createRgbImage, type RgbImage } from "../../../../../src/signal/image/raster.ts";
import { median } from "../../../../../src/signal/math/statistics.ts";
import {
  bakeTools,
  drawnFace,
  finder,
  type MarkedPortrait,
  photographedFace,
  runtime,
} from "../../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());

/** The face with open and with shut eyes, and what was measured on its canvas. */
async function blinkOf(face: MarkedPortrait) {
  const { imx, baked } = await bakeImx(face.image, face, bakeTools, { family: "essence-2-light" });
  const avatar = await openAvatar(imx, runtime);
  const frame = async (pose: FacePose) => i420ToRgb(await avatar.render(toParameterVector({ close: 1, ...pose })));
  const [open, shut] = [await frame({}), await frame({ blinkL: 1, blinkR: 1 })];
  await avatar.close();
  return { open, shut, geometry: createFaceGeometry(baked.points, baked.canvas.widthPx) };
}

type Blink = Awaited<ReturnType<typeof blinkOf>>;

/** Mean colour of an image where an eye's frame says so. */
function meanColour(image: RgbImage, { geometry }: Blink, side: number, isIn: (u: number, v: number) => boolean): Rgb {
  const eye = geometry.eyes[side];
  const sums = [0, 0, 0, 0];
  eye.forEachPixelWithin(1.5, image.widthPx, (at, u, v) => {
    if (Math.abs(u) > 0.7 || !isIn(u, v)) return;
    for (let channel = 0; channel < 3; channel++) sums[channel] += image.data[3 * at + channel];
    sums[3]++;
  });
  return [sums[0] / sums[3], sums[1] / sums[3], sums[2] / sums[3]];
}

/** The lid's colour where the eye was open, and that of the skin under and above it. */
function lidColours(blink: Blink, side: number) {
  const { upper, lower } = blink.geometry.eyes[side];
  const mean = (isIn: (u: number, v: number) => boolean) => meanColour(blink.shut, blink, side, isIn);
  return {
    lid: mean((u, v) => v > upper(u) + 0.02 && v < lower(u) - 0.18),
    below: mean((u, v) => v > lower(u) + 0.15 && v < lower(u) + 0.45),
    above: mean((u, v) => v > upper(u) - 0.6 && v < upper(u) - 0.3),
  };
}

const COLUMNS = 9;

/** Median brightness of the lid in one of nine columns, and that of the skin below and above the open eye there. */
function columnLevels({ open, shut, geometry }: Blink, side: number, column: number) {
  const eye = geometry.eyes[side];
  const from = -0.9 + (1.8 * column) / COLUMNS;
  const levels = { lid: [] as number[], below: [] as number[], above: [] as number[] };
  eye.forEachPixelWithin(1.5, open.widthPx, (at, u, v) => {
    if (u < from || u >= from + 1.8 / COLUMNS) return;
    const level = ({ data }: RgbImage) => luma([data[3 * at], data[3 * at + 1], data[3 * at + 2]]);
    const [under, over] = [v - eye.lower(u), eye.upper(u) - v];
    if (over < -0.02 && under < -0.12) levels.lid.push(level(shut));
    if (under > 0.12 && under < 0.42) levels.below.push(level(open));
    if (over > 0.25 && over < 0.6) levels.above.push(level(open));
  });
  return { lid: median(levels.lid), below: median(levels.below), above: median(levels.above) };
}

function greyed(face: MarkedPortrait): MarkedPortrait {
  const { image } = face;
  const grey = image.data.map((_, i, data) => {
    const at = i - (i % 3);
    return Math.round(luma([data[at], data[at + 1], data[at + 2]]));
  });
  return { ...face, image: createRgbImage(image.widthPx, image.heightPx, grey) };
}

const faces = [
  ["photograph", await blinkOf(await photographedFace())],
  ["drawing", await blinkOf(await drawnFace())],
] as const;

for (const [name, blink] of faces) {
  t.test(`${name}: a shut lid is as light and as colourful as the skin around it`, async (t) => {
    for (const side of [0, 1]) {
      const { lid, below, above } = lidColours(blink, side);
      const [low, high] = [luma(below), luma(above)].sort((a, b) => a - b);
      t.ok(luma(lid) > low - 8 && luma(lid) < high + 8, `${luma(lid)} between ${low} and ${high}`);
      const warmth = ([red, , blue]: Rgb) => (red - blue) / red;
      t.ok(warmth(lid) > Math.min(warmth(below), warmth(above)) - 0.05, "not pale");
      t.ok(warmth(lid) < Math.max(warmth(below), warmth(above)) + 0.05, "not redder");
    }
  });

  t.test(`${name}: a shut lid has no patch that differs from the skin above and below it`, async (t) => {
    for (const side of [0, 1]) {
      for (let column = 0; column < COLUMNS; column++) {
        const { lid, below, above } = columnLevels(blink, side, column);
        const [low, high] = [below, above].sort((a, b) => a - b);
        t.ok(lid > low - 8 && lid < high + 8, `eye ${side}, column ${column}: ${lid} between ${low} and ${high}`);
      }
    }
  });

  t.test(`${name}: a blink changes nothing under the eye and leaves the brows where they are`, async (t) => {
    const { open, shut, geometry } = blink;
    const points = geometry.eyes;
    let [under, brow, eye] = [0, 0, 0];
    for (const { frame, upper, lower, browCentre, forEachPixelWithin } of points) {
      const browV = frame.v(browCentre.x, browCentre.y) - upper(0);
      forEachPixelWithin(1.4, open.widthPx, (at, u, v) => {
        const before = luma([open.data[3 * at], open.data[3 * at + 1], open.data[3 * at + 2]]);
        const change = Math.abs(before - luma([shut.data[3 * at], shut.data[3 * at + 1], shut.data[3 * at + 2]]));
        if (Math.abs(u) < 0.95 && v > lower(u) + 2.5 / frame.unitPx) under = Math.max(under, change);
        if (Math.abs(u) < 0.9 && v - upper(u) < browV) brow = Math.max(brow, change);
        if (Math.abs(u) < 0.5 && v > upper(u) && v < lower(u)) eye = Math.max(eye, change);
      });
    }
    t.ok(under <= 4, `under the eye: ${under}`);
    t.ok(brow <= 2, `brows: ${brow}`);
    t.ok(eye > 40, `the eye itself: ${eye}`);
  });
}

t.test("lids of a monochrome portrait are grey", async (t) => {
  const blink = await blinkOf(greyed(await photographedFace()));
  for (const side of [0, 1]) {
    const { lid } = lidColours(blink, side);
    t.ok(Math.max(...lid) - Math.min(...lid) < 2, `${lid}`);
  }
});
