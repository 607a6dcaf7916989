// What is drawn anew takes the portrait's colours: the astronaut as he is, in black and white, in sepia, and small.
import t from "tap";
import { measureStyle } from "../../../../../src/face/rig/measure/portrait-style.ts";
import { inTone, measureTone } from "../../../../../src/face/rig/measure/portrait-tone.ts";
import { luma, type Rgb } from "../../../../../src/face/rig/measure/rgb.ts";
import { type RgbImage, toRgbImage } from "../../../../../src/signal/image/raster.ts";
import { resize } from "../../../../../src/signal/image/resize.ts";
import { finder } from "../../../../helpers/faces/face-of.ts";
import { photographedRegion, REGION_PX as REGION } from "../../../../helpers/faces/photographed-region.ts";

t.teardown(() => finder.close());

const { region, geometry } = await photographedRegion();
const RED: Rgb = [196, 96, 98];

/** The region in shades of one colour, with the noise of a JPEG file. */
function inShadesOf(colour: Rgb): RgbImage {
  const data = region.data.map((_, i) => {
    const at = i - (i % 3);
    const grey = luma([region.data[at], region.data[at + 1], region.data[at + 2]]) / luma(colour);
    return Math.min(255, grey * colour[i % 3] + (i % 7) / 3);
  });
  return { ...region, data };
}

const saturationOf = (colour: Rgb) => (Math.max(...colour) - Math.min(...colour)) / Math.max(...colour);

t.test("a photograph in colour keeps the colours of a mouth", async (t) => {
  const tone = measureTone(region, geometry);
  t.ok(tone.saturation > 0.95, `${tone.saturation}`);
  t.ok(
    tone.grey.every((value) => Math.abs(value - 1) < 0.1),
    `${tone.grey}`,
  );
  t.ok(inTone(RED, tone)[0] > 1.7 * inTone(RED, tone)[2], "red stays red");
});

t.test("in black and white everything drawn is grey, in sepia it is brown", async (t) => {
  const grey = inShadesOf([1, 1, 1]);
  const { tooth, cavity, tone } = measureStyle(grey, geometry);
  t.ok(saturationOf(tooth) < 0.05 && saturationOf(inTone(RED, tone)) < 0.05, `${tooth}`);
  t.ok(Math.max(...cavity) - Math.min(...cavity) < 3, `${cavity}`);
  const sepia: Rgb = [1.25, 0.95, 0.62];
  const brown = inTone(RED, measureTone(inShadesOf(sepia), geometry));
  const [red, , blue] = brown.map((value) => value / luma(brown));
  t.ok(Math.abs(red - sepia[0]) < 0.08 && Math.abs(blue - sepia[2]) < 0.08, `${brown}`);
});

t.test("the blur of an enlarged portrait is noticed", async (t) => {
  const small = toRgbImage(resize(region, { widthPx: REGION / 4, heightPx: REGION / 4 }, "area"));
  const enlarged = toRgbImage(resize(small, region, "lanczos"));
  const [sharp, soft] = [measureTone(region, geometry).blurPx, measureTone(enlarged, geometry).blurPx];
  t.ok(sharp < 1.4 && soft > sharp + 0.4, `${sharp} px, enlarged ${soft} px`);
});
