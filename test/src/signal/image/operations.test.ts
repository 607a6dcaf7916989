// Expected values that name a library (SciPy 1, OpenCV 4, NumPy 2) were computed once with it, from the same small
// pattern.
import t from "tap";
import { applyAffine, squareCropToImage, warpAffine } from "../../../../src/signal/image/affine.ts";
import { gaussianBlur, gaussianKernel } from "../../../../src/signal/image/gaussian-blur.ts";
import { inpaint } from "../../../../src/signal/image/inpaint.ts";
import { buildPyramid, warpPyramid } from "../../../../src/signal/image/pyramid.ts";
import {
  createPlane,
  createRgbImage,
  cropRgbImage,
  type Plane,
  toPlane,
  toRgbImage,
} from "../../../../src/signal/image/raster.ts";
import { type ResizeKernel, resize } from "../../../../src/signal/image/resize.ts";
import { sampleBilinear } from "../../../../src/signal/image/sample-bilinear.ts";
import { rgbToYuv, yuvToRgb } from "../../../../src/signal/image/yuv.ts";
import { pchip } from "../../../../src/signal/math/pchip.ts";
import { interpolateScattered } from "../../../../src/signal/math/scattered-interpolation.ts";
import { smoothstep } from "../../../../src/signal/math/smoothstep.ts";
import { median, percentile } from "../../../../src/signal/math/statistics.ts";

const planeOf = (widthPx: number, heightPx: number, value: (x: number, y: number) => number, channels = 1): Plane =>
  createPlane(
    widthPx,
    heightPx,
    channels,
    Float32Array.from({ length: widthPx * heightPx * channels }, (_, i) => {
      const pixel = Math.floor(i / channels);
      return value(pixel % widthPx, Math.floor(pixel / widthPx)) + (i % channels);
    }),
  );
const pattern = planeOf(6, 5, (x, y) => ((x * 7 + y * 13) % 11) * 10);
const worst = (actual: ArrayLike<number>, expected: ArrayLike<number>): number =>
  actual.length === expected.length
    ? Math.max(...Array.from(actual, (value, i) => Math.abs(value - expected[i])))
    : Number.POSITIVE_INFINITY;

t.test("blurring agrees with SciPy's gaussian_filter, axis by axis, mirrored at the edges", async (t) => {
  const expected = [
    [23.95, 50.657, 51.439, 59.998, 59.789, 39.828],
    [30.042, 47.573, 51.148, 53.27, 60.337, 48.952],
    [39.479, 42.092, 50.682, 49.318, 57.908, 60.521],
    [51.048, 39.663, 46.73, 48.852, 52.427, 69.958],
    [60.172, 40.211, 40.002, 48.561, 49.343, 76.05],
  ].flat();
  t.ok(worst(gaussianBlur(pattern, { x: 0.7, y: 1.2 }).data, expected) < 0.002);
  const row = createPlane(6, 1, 1, pattern.data.slice(0, 6));
  const wide = [45.572, 45.868, 46.378, 46.962, 47.466, 47.754];
  t.ok(worst(gaussianBlur(row, { x: 4, y: 0 }).data, wide) < 0.002, "a kernel wider than the image");
  const pair = planeOf(6, 5, (x, y) => x + y, 2);
  const blurred = gaussianBlur(pair, 1);
  t.ok(
    worst(
      blurred.data.filter((_, i) => i % 2 === 1).map((value) => value - 1),
      blurred.data.filter((_, i) => i % 2 === 0),
    ) < 1e-5,
  );
  t.same(gaussianBlur(pattern, 0).data, pattern.data);
  t.throws(() => gaussianKernel(-1), RangeError);
});

t.test("warping agrees with OpenCV's warpAffine, with repeated edges and with zeros outside", async (t) => {
  const map = { a: 0.8, b: -0.3, tx: 1.1, c: 0.25, d: 0.9, ty: -0.4 };
  const size = { widthPx: 4, heightPx: 3 };
  const inside = [66, 61, 34, 29, 41, 40.95, 64, 37];
  // OpenCV rounds positions to 1/32 px; steps of this pattern are up to 100 a pixel.
  t.ok(worst(warpAffine(pattern, map, size).data, [66, 34, 73.3, 67.75, ...inside]) < 2.5);
  t.ok(worst(warpAffine(pattern, map, size, "zero").data, [39.6, 28.9, 73.3, 67.75, ...inside]) < 2.5);
  const crop = squareCropToImage({ centreX: 10, centreY: 20, sizePx: 8, angleRad: Math.PI / 2, cropPx: 4 });
  t.ok(worst(applyAffine(crop, 2, 2), [10, 20]) < 1e-9, "the centre stays");
  t.ok(worst(applyAffine(crop, 3, 2), [10, 22]) < 1e-9, "the crop's x axis points down after a quarter turn");
});

t.test("bilinear sampling interpolates between pixels and repeats the edge", async (t) => {
  const ramp = planeOf(4, 3, (x, y) => 10 * x + y, 2);
  const sampled = new Float32Array(6);
  sampleBilinear(ramp, 1.5, 0.25, "replicate", sampled, 0);
  sampleBilinear(ramp, -9, 1, "replicate", sampled, 2);
  sampleBilinear(ramp, 99, 99, "replicate", sampled, 4);
  t.same([...sampled], [15.25, 16.25, 1, 2, 32, 33]);
});

t.test("resizing agrees with OpenCV, and keeps uniform images uniform and means unchanged", async (t) => {
  const wide = [
    [6.667, 41.667, 70, 43.333, 53.333, 69.444, 67.222, 46.667, 26.667],
    [40, 20, 11.667, 58.333, 50, 41.667, 88.333, 80, 60],
    [73.333, 53.333, 32.778, 30.556, 46.667, 56.667, 30, 58.333, 93.333],
  ].flat();
  t.ok(worst(resize(pattern, { widthPx: 9, heightPx: 3 }).data, wide) < 0.002, "bilinear");
  const small = [32, 52, 58.667, 49.333, 50.667, 41.333, 48, 68];
  t.ok(worst(resize(pattern, { widthPx: 4, heightPx: 2 }, "area").data, small) < 0.002, "area");
  for (const kernel of ["area", "bilinear", "lanczos"] as ResizeKernel[]) {
    const flat = resize(
      planeOf(7, 5, () => 42),
      { widthPx: 16, heightPx: 3 },
      kernel,
    );
    t.ok(
      flat.data.every((value) => Math.abs(value - 42) < 1e-4),
      `${kernel}: flat`,
    );
    const same = resize(pattern, pattern, kernel);
    t.ok(worst(same.data, pattern.data) < 1e-3, `${kernel}: same size, same image`);
  }
  const wave = (size: number): Plane => planeOf(size, 1, (x) => 100 * Math.sin(((x + 0.5) / size) * 2 * Math.PI * 3));
  const inner = (plane: Plane): Float32Array => plane.data.subarray(8, -8);
  const enlarged = resize(wave(32), { widthPx: 96, heightPx: 1 }, "lanczos");
  t.ok(worst(inner(enlarged), inner(wave(96))) < 2, "Lanczos follows a wave");
  const fine = planeOf(64, 1, (x) => (x % 2) * 100);
  const shrunk = resize(fine, { widthPx: 20, heightPx: 1 }, "lanczos");
  t.ok(
    shrunk.data.subarray(2, -2).every((value) => Math.abs(value - 50) < 5),
    "what is too fine becomes grey",
  );
  t.throws(() => resize(pattern, { widthPx: 0, heightPx: 3 }), RangeError);
});

t.test("a curve through points agrees with SciPy's PchipInterpolator and never overshoots", async (t) => {
  const curve = pchip([0, 1, 1.5, 4, 5], [0, 2, 2.1, 1, 3]);
  t.ok(worst([0, 0.3, 1.2, 2, 3.3, 4.6, 5].map(curve), [0, 0.881, 2.059, 1.986, 1.21, 1.908, 3]) < 0.001);
  const turning = pchip([0, 1, 2, 3], [0, 1, -5, -5.5]);
  t.ok(worst([0.2, 0.5, 0.9, 1.1, 2.5].map(turning), [0.488, 0.875, 0.999, 0.84, -5.365]) < 0.001);
  t.same([-9, 9].map(curve), [0, 3], "constant outside");
  t.ok(worst([0, 0.5, 2].map(pchip([0, 2], [1, 5])), [1, 2, 5]) < 1e-9, "two points make a line");
  t.throws(() => pchip([0, 0], [1, 2]), RangeError);
  t.throws(() => pchip([0], [1]), RangeError);
});

t.test("scattered values agree with SciPy's griddata, and are unknown outside the hull", async (t) => {
  const surface = interpolateScattered({
    points: [0.2, 0.1, 5.3, 0.4, 0.3, 4.2, 5.1, 3.9, 2.2, 1.7, 3.4, 2.9],
    values: [0, 10, 20, 5, 40, -8],
    widthPx: 6,
    heightPx: 5,
  });
  const outside = -999;
  const expected = [
    Array(6).fill(outside),
    [outside, 17.164, 22.857, 23.386, 21.409, 6.961],
    [outside, 21.642, 37.091, 18.682, 0.045, 6.002],
    [outside, 26.119, 15.273, -2.909, -3.169, 5.042],
    [outside, 15.226, 13.136, 11.045, outside, outside],
  ].flat();
  const actual = surface.data.map((value) => (Number.isNaN(value) ? outside : value));
  t.ok(worst(actual, expected) < 0.002);
  t.throws(() => interpolateScattered({ points: [1], values: [1], widthPx: 1, heightPx: 1 }), RangeError);
});

t.test("a masked hole is filled smoothly from the pixels around it, and no other pixel changes", async (t) => {
  const ramp = planeOf(40, 30, (x, y) => 3 * x + 2 * y, 3);
  const hole = planeOf(40, 30, (x, y) => (Math.abs(x - 20) < 9 && Math.abs(y - 15) < 6 ? 1 : 0));
  const spoiled = toPlane(ramp);
  hole.data.forEach((masked, pixel) => {
    if (masked) spoiled.data.fill(-1000, pixel * 3, pixel * 3 + 3);
  });
  const filled = inpaint(spoiled, hole);
  t.ok(
    worst(filled.data, ramp.data) < 4,
    `a ramp goes on through the hole, ${worst(filled.data, ramp.data)} off at worst`,
  );
  const untouched = filled.data.every((value, i) => hole.data[Math.floor(i / 3)] || value === spoiled.data[i]);
  t.ok(untouched);
  t.same(
    inpaint(
      ramp,
      planeOf(40, 30, () => 1),
    ).data,
    ramp.data,
    "with nothing to go by nothing changes",
  );
  const corner = inpaint(
    ramp,
    planeOf(40, 30, (x, y) => (x + y > 0 ? 1 : 0)),
  );
  t.ok(
    corner.data.every((value, i) => Math.abs(value - (i % 3)) < 1e-3),
    "one known pixel colours everything",
  );
});

t.test("a pyramid keeps positions: its levels give almost the same crop", async (t) => {
  const image = toRgbImage(planeOf(512, 400, (x, y) => 120 + 60 * Math.sin(x / 40) + 60 * Math.cos(y / 50), 3));
  const pyramid = buildPyramid(image);
  t.same(
    pyramid.map(({ widthPx, heightPx }) => [widthPx, heightPx]),
    [
      [512, 400],
      [256, 200],
      [128, 100],
    ],
  );
  const map = { a: 4.3, b: 0.2, tx: 30, c: -0.2, d: 4.3, ty: 20 };
  const size = { widthPx: 64, heightPx: 64 };
  const direct = warpAffine(image, map, size).data;
  const differences = warpPyramid(pyramid, map, size).data.map((value, i) => Math.abs(value - direct[i]));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  t.ok(mean < 0.5, `rounding leaves ${mean}; a shift by half a pixel of the level would leave over 1`);
});

t.test("colours are kept by a conversion to YUV and back; black and white are at the ends of the range", async (t) => {
  t.ok(worst(rgbToYuv(0, 0, 0), [16, 128, 128]) < 0.01);
  t.ok(worst(rgbToYuv(255, 255, 255), [235, 128, 128]) < 0.01);
  t.ok(worst(rgbToYuv(255, 0, 0), [81.48, 90.2, 240]) < 0.01);
  for (const [red, green, blue] of [
    [255, 0, 0],
    [12, 200, 99],
    [240, 180, 150],
  ]) {
    t.ok(worst(yuvToRgb(...rgbToYuv(red, green, blue)), [red, green, blue]) < 0.01);
  }
});

t.test("quantiles and smoothstep give the expected values", async (t) => {
  const values = [3, 1, 4, 1, 5, Number.NaN, 9, 2, 6];
  t.ok(
    worst(
      [0, 30, 50, 99.8, 100].map((q) => percentile(values, q)),
      [1, 2.1, 3.5, 8.958, 9],
    ) < 1e-3,
    "NumPy",
  );
  t.equal(median(values), 3.5);
  t.ok(Number.isNaN(median([Number.NaN])));
  t.same(
    [-1, 0, 0.5, 1, 2].map((value) => smoothstep(value)),
    [0, 0, 0.5, 1, 1],
  );
  t.equal(smoothstep(3, 2, 6), 0.15625);
});

t.test("images are cropped, converted and validated", async (t) => {
  const image = createRgbImage(
    3,
    2,
    Uint8Array.from({ length: 18 }, (_, i) => i),
  );
  t.same([...cropRgbImage(image, { x: 1, y: 1, widthPx: 2, heightPx: 1 }).data], [12, 13, 14, 15, 16, 17]);
  t.same([...toRgbImage(createPlane(1, 1, 3, Float32Array.of(-5, 12.6, 300))).data], [0, 13, 255]);
  t.throws(() => cropRgbImage(image, { x: 2, y: 0, widthPx: 2, heightPx: 1 }), RangeError);
  t.throws(() => createRgbImage(2, 2, new Uint8Array(3)), RangeError);
  t.throws(() => createPlane(2, 2, 1, new Float32Array(3)), RangeError);
  t.throws(() => toRgbImage(createPlane(1, 1)), RangeError);
});
