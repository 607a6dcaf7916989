import t from "tap";
import { type ChestField, createChestField } from "../../../../src/face/figure/chest-field.ts";
import { ChestMotion } from "../../../../src/face/rendering/chest-motion.ts";
import { createI420Frame, type I420Frame } from "../../../../src/signal/image/i420-frame.ts";
import { createPlane } from "../../../../src/signal/image/raster.ts";

const CANVAS = { widthPx: 128, heightPx: 96 };
/** A face in the upper middle over shoulders as wide as the image's middle half. */
const OVAL = { centre: { x: 64, y: 30 }, widthPx: 24, heightPx: 32, bottomPx: 46 };
const person = createPlane(CANVAS.widthPx, CANVAS.heightPx);
for (let y = 0; y < CANVAS.heightPx; y++) {
  for (let x = 0; x < CANVAS.widthPx; x++) {
    const isHead = Math.hypot((x - 64) / 14, (y - 30) / 18) < 1;
    person.data[y * CANVAS.widthPx + x] = isHead || (y > 52 && Math.abs(x - 64) < 40) ? 1 : 0;
  }
}
const field = createChestField(person, OVAL)!;
/** Exaggerated, so that whole rows move. */
const deep: ChestField = { ...field, travelPx: 4 };

function gradient(): I420Frame {
  const frame = createI420Frame(CANVAS.widthPx, CANVAS.heightPx);
  frame.data.forEach((_, i) => {
    const isLuma = i < CANVAS.widthPx * CANVAS.heightPx;
    frame.data[i] = isLuma ? 20 + 2 * Math.floor(i / CANVAS.widthPx) : 60 + ((i >> 6) % 96);
  });
  return frame;
}

function breathe(of: ChestField, breath: number): I420Frame {
  const frame = gradient();
  new ChestMotion(of, CANVAS).apply(gradient(), frame, breath);
  return frame;
}

const luma = (frame: I420Frame, x: number, y: number) => frame.data[y * CANVAS.widthPx + x];

t.test("the motion field contains the shoulders, but not head and background", async (t) => {
  const cell = (x: number, y: number) => field.data[(y >> 3) * field.columns + (x >> 3)];
  t.ok(cell(64, 92) > 200 && cell(36, 92) > 120, "shoulders");
  t.equal(cell(64, 30), 0, "head");
  t.ok(cell(4, 92) < 30, "wall");
  t.ok(field.travelPx > 0.2 && field.travelPx < 1, "a hundredth of the face");
  t.equal(createChestField(createPlane(128, 96), OVAL), null, "no person, no chest");
  t.equal(createChestField(person, { ...OVAL, bottomPx: 96 }), null, "nor where the image ends at the chin");
  const narrow = createPlane(124, 96);
  narrow.data.fill(1);
  t.equal(createChestField(narrow, OVAL), null, "nor where rows are no whole words");
  t.throws(() => new ChestMotion(field, { widthPx: 124, heightPx: 96 }), RangeError);
});

t.test("breathed in, the frame is the portrait itself; breathing out moves only the chest, downwards", async (t) => {
  t.same(breathe(deep, 1).data, gradient().data);
  const out = breathe(deep, -1);
  const sunk = (luma(gradient(), 64, 94) - luma(out, 64, 94)) / 2;
  t.ok(sunk > 3 && sunk <= 4.5, `sinks by ${sunk} rows`);
  const half = (luma(gradient(), 64, 94) - luma(breathe(deep, 0), 64, 94)) / 2;
  t.ok(Math.abs(half - sunk / 2) <= 0.5, `and by ${half} half way`);
  for (let y = 0; y < 48; y++) t.equal(luma(out, 64, y), luma(gradient(), 64, y));
  for (let y = 0; y < 96; y++) t.equal(luma(out, 2, y), luma(gradient(), 2, y));
});

t.test("the motion begins without a step, and steps from frame to frame stay small", async (t) => {
  const out = breathe(deep, -1);
  for (let y = 1; y < 96; y++) t.ok(luma(out, 64, y) >= luma(out, 64, y - 1), `row ${y} keeps its order`);
  let largest = 0;
  let before = breathe(field, -1).data;
  for (let breath = -1; breath <= 1; breath += 0.06) {
    const now = breathe(field, breath).data;
    largest = Math.max(largest, ...now.map((value, i) => Math.abs(value - before[i])));
    before = now;
  }
  t.ok(largest <= 1, `${largest} levels`);
});
