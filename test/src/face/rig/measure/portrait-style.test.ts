import t from "tap";
import { measureStyle } from "../../../../../src/face/rig/measure/portrait-style.ts";
import type { RgbImage } from "../../../../../src/signal/image/raster.ts";
import { finder } from "../../../../helpers/faces/face-of.ts";
import { photographedRegion, REGION_PX as REGION } from "../../../../helpers/faces/photographed-region.ts";

t.teardown(() => finder.close());

const { region, geometry } = await photographedRegion();

/** The region with its brightness running evenly from `left` to `right`. */
function litFrom(left: number, right: number): RgbImage {
  const data = region.data.map((value, i) => {
    const x = Math.floor(i / 3) % REGION;
    return value * (left + ((right - left) * x) / REGION);
  });
  return { ...region, data };
}

t.test("the side light is measured on the cheeks, and is zero for even light", async (t) => {
  const even = measureStyle(region, geometry).lightPerMm;
  t.ok(Math.abs(even) < 0.002, `${even} in a studio portrait`);
  // The region is some 280 mm wide: from 0.7 to 1 is about 0.0013 a mm.
  const fromRight = measureStyle(litFrom(0.7, 1), geometry).lightPerMm - even;
  const fromLeft = measureStyle(litFrom(1, 0.7), geometry).lightPerMm - even;
  t.ok(fromRight > 0.0008 && fromRight < 0.0025, `${fromRight} from the right`);
  t.ok(fromLeft < -0.0008 && fromLeft > -0.0025, `${fromLeft} from the left`);
});

t.test("the measured side light is limited to the range for teeth", async (t) => {
  t.equal(measureStyle(litFrom(-0.2, 1.2), geometry).lightPerMm, 0.008);
  t.equal(measureStyle(litFrom(1.2, -0.2), geometry).lightPerMm, -0.008);
});

/** Red and blue less luma, as shares of the luma. */
function chromaOf([red, green, blue]: readonly number[]): [number, number] {
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue;
  return [red / luma - 1, blue / luma - 1];
}

t.test("drawn teeth have the colour of the person's own", async (t) => {
  const { mouth } = geometry;
  const teeth: number[][] = [];
  for (let at = 0; at < REGION * REGION; at++) {
    const [x, y] = [at % REGION, Math.floor(at / REGION)];
    const [u, v] = [mouth.frame.u(x, y), mouth.frame.v(x, y)];
    const isInside = Math.abs(u) < 0.5 && v > mouth.innerUpper(u) + 0.03 && v < mouth.innerLower(u) - 0.03;
    if (isInside) teeth.push([...region.data.subarray(3 * at, 3 * at + 3)]);
  }
  t.ok(teeth.length > 50, "the portrait smiles");
  // The lighter half: between teeth and under them it is dark.
  teeth.sort((first, second) => first[1] - second[1]);
  const light = teeth.slice(Math.floor(teeth.length / 2));
  const own = chromaOf([0, 1, 2].map((i) => light.reduce((sum, pixel) => sum + pixel[i], 0) / light.length));
  const drawn = chromaOf(measureStyle(region, geometry, { ownTeeth: false }).tooth);
  for (const i of [0, 1]) {
    t.ok(Math.abs(own[i] - drawn[i]) < 0.04, `own ${own[i].toFixed(3)}, drawn ${drawn[i].toFixed(3)}`);
  }
  // A warmer light colours both.
  const warm = { ...region, data: region.data.map((value, i) => value * [1.1, 1, 0.8][i % 3]) };
  const warmer = chromaOf(measureStyle(warm, geometry, { ownTeeth: false }).tooth);
  t.ok(warmer[0] > drawn[0] + 0.02 && warmer[1] < drawn[1] - 0.06, `in warm light ${warmer.map((c) => c.toFixed(2))}`);
});
