import { readFile } from "node:fs/promises";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { replaceBackground, TRANSPARENT } from "../../../../src/face/figure/background.ts";
import { findPerson } from "../../../../src/face/figure/find-person.ts";
import { foregroundColours } from "../../../../src/face/figure/foreground-colours.ts";
import { boxMean, guidedFilter } from "../../../../src/face/figure/guided-filter.ts";
import { loadFaceModels } from "../../../../src/face/portrait/face-models.ts";
import { PersonSegmenter } from "../../../../src/face/portrait/person-segmenter.ts";
import { framePortrait } from "../../../../src/face/rig/measure/frame-portrait.ts";
import { decodeImage } from "../../../../src/signal/image/decode-image.ts";
import { createPlane, createRgbImage, type Plane, type RgbImage } from "../../../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";

const WIDTH_PX = 384;
const HEIGHT_PX = 64;

function plane(value: (x: number, y: number) => number): Plane {
  const made = createPlane(WIDTH_PX, HEIGHT_PX);
  for (let i = 0; i < made.data.length; i++) made.data[i] = value(i % WIDTH_PX, Math.floor(i / WIDTH_PX));
  return made;
}

function image(colour: (x: number, y: number) => readonly number[]): RgbImage {
  const made = createRgbImage(WIDTH_PX, HEIGHT_PX);
  for (let i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
    made.data.set(colour(i % WIDTH_PX, Math.floor(i / WIDTH_PX)), 3 * i);
  }
  return made;
}

const at = (image: RgbImage, x: number, y: number) => [...image.data.subarray(3 * (y * image.widthPx + x)).slice(0, 3)];
/** A person in the middle third, a little soft at its edges. */
const person = plane((x) => Math.min(1, Math.max(0, (64 - Math.abs(x - 192)) / 2 + 0.5)));
const SKIN = [200, 140, 110];
const WALL = [40, 90, 160];
const portrait = image((x) => (Math.abs(x - 192) <= 64 ? SKIN : WALL));

t.test(
  "box means are exact up to the borders, and a coarse mask is refined to the edges of the guide image",
  async (t) => {
    const ramp = plane((x) => x);
    const means = boxMean(ramp, 3);
    t.ok(Math.abs(means.data[50] - 50) < 1e-4);
    t.ok(Math.abs(means.data[0] - 1.5) < 1e-4, "the first has only neighbours to its right");
    const guide = plane((x) => (x < 40 ? 0.2 : 0.8));
    const coarse = plane((x) => Math.min(1, Math.max(0, (x - 36) / 12)));
    const fine = guidedFilter(coarse, guide, { radiusPx: 8, epsilon: 1e-4 });
    const row = fine.data.subarray(30 * WIDTH_PX, 31 * WIDTH_PX);
    t.ok(
      row[40] - row[39] > 3 * (coarse.data[40] - coarse.data[39]),
      `a step of ${row[40] - row[39]} where the guide has one`,
    );
    t.throws(() => guidedFilter(coarse, createPlane(4, 4), { radiusPx: 1, epsilon: 1 }), RangeError);
  },
);

t.test("the colours of the person are estimated in half transparent pixels of the outline", async (t) => {
  const alpha = plane((x) => Math.min(1, Math.max(0, (x - 180) / 10)));
  const mixed = createPlane(WIDTH_PX, HEIGHT_PX, 3);
  for (let i = 0; i < alpha.data.length; i++) {
    for (let channel = 0; channel < 3; channel++)
      mixed.data[3 * i + channel] = alpha.data[i] * SKIN[channel] + (1 - alpha.data[i]) * WALL[channel];
  }
  const front = foregroundColours(mixed, alpha);
  for (const x of [184, 186, 188, 196]) {
    const found = front.data.subarray(3 * (32 * WIDTH_PX + x)).slice(0, 3);
    const before = mixed.data.subarray(3 * (32 * WIDTH_PX + x)).slice(0, 3);
    const error = (colour: Float32Array) => Math.max(...SKIN.map((value, i) => Math.abs(value - colour[i])));
    t.ok(
      error(found) <= Math.max(4, 0.5 * error(before)),
      `at ${x}: ${error(before).toFixed()} became ${error(found).toFixed()}`,
    );
  }
});

t.test("the background is kept, blurred or replaced, and the person does not change", async (t) => {
  t.equal(replaceBackground(portrait, person, { kind: "keep" }), portrait);
  const green = replaceBackground(portrait, person, TRANSPARENT);
  t.same(at(green, 4, 10), [0, 255, 0]);
  t.ok(at(green, 192, 30).every((value, i) => Math.abs(value - SKIN[i]) <= 2));
  const striped = image((x, y) => (Math.abs(x - 192) <= 64 ? SKIN : y % 8 < 4 ? [20, 20, 20] : [240, 240, 240]));
  const blurred = replaceBackground(striped, person, { kind: "blur" });
  const contrast = (image: RgbImage) => Math.abs(at(image, 6, 18)[0] - at(image, 6, 22)[0]);
  t.ok(contrast(blurred) < 0.4 * contrast(striped), `${contrast(striped)} became ${contrast(blurred)}`);
  const scene = createRgbImage(10, 40, new Uint8Array(1200).fill(77));
  t.same(at(replaceBackground(portrait, person, { kind: "image", image: scene }), 370, 50), [77, 77, 77]);
  try {
    replaceBackground(
      portrait,
      plane(() => 0),
      TRANSPARENT,
    );
    t.fail("an image without a person is refused");
  } catch (error) {
    t.ok(isEngineError(error) && error.code === "invalid-input");
  }
});

t.test(
  "the person of a photograph is segmented with hair and shoulders, in the square and the wide canvas",
  async (t) => {
    const image = await decodeImage(
      await readFile(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url)),
    );
    // Only where the face lies matters here: forehead, chin and cheeks of this photo.
    const points = new Float32Array(478 * 3);
    for (let i = 0; i < 478; i++) points.set([224 + 40 * Math.cos(i), 120 + 55 * Math.sin(i), 0], 3 * i);
    const segmenter = await PersonSegmenter.load(createNodeRuntime(), (await loadFaceModels()).segmenter);
    t.teardown(() => segmenter.close());
    for (const canvas of [
      { widthPx: 512, heightPx: 512 },
      { widthPx: 896, heightPx: 504 },
    ]) {
      const framed = framePortrait(image, points, { canvas, regionPx: 384 });
      const found = await findPerson({ person: await segmenter.segment(image), points }, framed, segmenter);
      const near = (photoX: number, photoY: number) => {
        const [scale, x, y] = [framed.points[0] - framed.points[3], framed.points[0], framed.points[1]];
        const zoom = scale / (points[0] - points[3]);
        const column = Math.round(x + (photoX - points[0]) * zoom);
        const row = Math.round(y + (photoY - points[1]) * zoom);
        return found.data[row * canvas.widthPx + column];
      };
      t.ok(near(224, 120) > 0.95, "face");
      t.ok(near(225, 30) > 0.9, "hair");
      t.ok(near(150, 215) > 0.8, "collar");
      t.ok(near(330, 60) < 0.05, "wall");
      t.equal(found.data.length, canvas.widthPx * canvas.heightPx);
    }
  },
);
