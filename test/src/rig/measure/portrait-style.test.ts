import t from "tap";
import type { RgbImage } from "../../../../src/image/raster.ts";
import { measureStyle } from "../../../../src/rig/measure/portrait-style.ts";
import { finder } from "../../../helpers/face-of.ts";
import { photographedRegion, REGION_PX as REGION } from "../../../helpers/photographed-region.ts";

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
