import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { FACE_PARAMETER_COUNT, type FacePose, toParameterVector } from "../../../../shared/face-parameters.ts";
import { readImx } from "../../../../src/face/imx/read-imx.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { faceOval, mapPoints } from "../../../../src/face/portrait/face-points.ts";
import type { Avatar } from "../../../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../../../src/face/rendering/open-avatar.ts";
import { bakePortrait } from "../../../../src/face/rig/bake-portrait.ts";
import { framePortrait } from "../../../../src/face/rig/measure/frame-portrait.ts";
import { i420ToRgb } from "../../../../src/signal/image/i420-frame.ts";
import { createRgbImage, cropRgbImage, type RgbImage } from "../../../../src/signal/image/raster.ts";
import { bakedFace } from "../../../helpers/faces/baked-face.ts";
import { finder, photographedFace, runtime } from "../../../helpers/faces/face-of.ts";
import { smallAvatar } from "../../../helpers/faces/small-avatar.ts";

t.teardown(() => finder.close());

const photo = await photographedFace();
const baked = await bakedFace("photograph");
const file = await writeImx(baked);
const avatar = await openAvatar(await readImx(file), runtime);
t.teardown(() => avatar.close());
const { region } = baked.manifest;

async function renderPose(of: Avatar, pose: FacePose): Promise<RgbImage> {
  const parameters = toParameterVector(pose);
  toParameterVector(of.restPose).forEach((value, index) => {
    parameters[index] += value;
  });
  return i420ToRgb(await of.render(parameters));
}

/** What an independent landmark network sees on a rendered face, lengths in distances of the outer eye corners. */
async function measure(image: RgbImage) {
  const [candidate] = await finder.find(image);
  const { points } = await finder.landmarks(image, candidate);
  const apart = (a: number, b: number) =>
    Math.hypot(points[3 * a] - points[3 * b], points[3 * a + 1] - points[3 * b + 1]);
  const unit = apart(33, 263);
  return {
    aperture: (apart(13, 14) + apart(82, 87) + apart(312, 317)) / 3 / unit,
    width: apart(61, 291) / unit,
    eyes: (apart(159, 145) + apart(386, 374)) / 2 / unit,
    yaw: (points[3] - (points[3 * 234] + points[3 * 454]) / 2) / unit,
  };
}

function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  const product = (x: readonly number[], mx: number, y: readonly number[], my: number) =>
    x.reduce((sum, value, index) => sum + (value - mx) * (y[index] - my), 0);
  return product(a, ma, b, mb) / Math.sqrt(product(a, ma, a, ma) * product(b, mb, b, mb));
}

t.test("a bundle is small, has a complete manifest, and contains every gesture", async (t) => {
  t.ok(file.length < 2.5e6, `${file.length} bytes`);
  t.equal(baked.manifest.headMotion, 1);
  for (const name of ["nod", "shake", "wink", "surprise", "thinking", "laugh_react"])
    t.ok(avatar.gestures.has(name), name);
  t.same([avatar.widthPx, avatar.heightPx], [512, 512]);
  t.equal(avatar.restPose.close, 1);
  t.ok((avatar.restPose.smile ?? 0) < -0.3, "a smile with bared teeth is taken back when the mouth closes");
});

t.test("rendered faces follow the parameters, measured by the face detector", async (t) => {
  const sweeps = [
    { name: "jaw", values: [0, 0.25, 0.5, 0.75, 1], sees: "aperture", atLeast: 0.97 },
    { name: "wide", values: [-0.4, 0, 0.4, 0.8], sees: "width", atLeast: 0.95 },
    { name: "pucker", values: [0, 0.3, 0.6, 0.9], sees: "width", atLeast: -0.95 },
    { name: "yaw", values: [-1, -0.5, 0, 0.5, 1], sees: "yaw", atLeast: 0.97 },
  ] as const;
  for (const { name, values, sees, atLeast } of sweeps) {
    const seen: number[] = [];
    for (const value of values) seen.push((await measure(await renderPose(avatar, { [name]: value })))[sees]);
    const r = correlation(values, seen);
    t.ok(
      Math.sign(atLeast) * r >= Math.abs(atLeast),
      `${name}: r = ${r.toFixed(3)} (${seen.map((v) => v.toFixed(3))})`,
    );
  }
  const lids: number[] = [];
  for (const blink of [0, 0.5, 1])
    lids.push((await measure(await renderPose(avatar, { blinkL: blink, blinkR: blink }))).eyes);
  t.ok(lids[0] > lids[1] && lids[1] > lids[2] && lids[2] < 0.7 * lids[0], `lids ${lids}`);
});

t.test("lips are shut at rest and for M, B and P, and open for vowels", async (t) => {
  const rest = await measure(await renderPose(avatar, {}));
  const closure = await measure(await renderPose(avatar, { rollU: 0.45, rollL: 0.45, jaw: -0.03 }));
  const photoItself = await measure(i420ToRgb(await avatar.render(new Float32Array(FACE_PARAMETER_COUNT))));
  const aa = await measure(await renderPose(avatar, { jaw: 0.75, lowdep: 0.2, upraise: 0.1 }));
  // The network sees a little aperture even in mouths that are shut: 0.03 is still shut.
  t.ok(photoItself.aperture > 0.1, `the photo shows teeth: ${photoItself.aperture.toFixed(4)}`);
  t.ok(rest.aperture < 0.035, `rest ${rest.aperture.toFixed(4)}`);
  t.ok(closure.aperture < 0.033, `closure ${closure.aperture.toFixed(4)}`);
  t.ok(aa.aperture > 0.1, `AA ${aa.aperture.toFixed(4)}`);
});

t.test("every sample lies in the limited range of BT.601", async (t) => {
  const { data } = await avatar.render(toParameterVector({ close: 1, jaw: 1, yaw: -1, blinkL: 1, blinkR: 1 }));
  const luma = data.subarray(0, 512 * 512);
  const chroma = data.subarray(512 * 512);
  t.ok(luma.every((value) => value >= 16 && value <= 235));
  t.ok(chroma.every((value) => value >= 16 && value <= 240));
});

t.test("a turned head joins the still canvas without a seam, and nothing moves outside its region", async (t) => {
  const still = i420ToRgb(await avatar.render(new Float32Array(FACE_PARAMETER_COUNT)));
  const turned = await renderPose(avatar, { yaw: 1, pitch: -0.7, roll: 1, jaw: 0.8 });
  const differs = (x: number, y: number) =>
    Math.max(...[0, 1, 2].map((i) => Math.abs(still.data[3 * (y * 512 + x) + i] - turned.data[3 * (y * 512 + x) + i])));
  let edge = 0;
  for (let i = 0; i < region.sizePx; i++) {
    for (const [x, y] of [
      [region.x + i, region.y],
      [region.x + i, region.y + region.sizePx - 1],
      [region.x, region.y + i],
      [region.x + region.sizePx - 1, region.y + i],
    ]) {
      edge = Math.max(edge, differs(x, y));
    }
  }
  t.ok(edge <= 12, `largest difference on the rim: ${edge}`);
  for (let y = 0; y < 512; y += 3)
    for (let x = 0; x < region.x; x += 3) if (differs(x, y) > 0) t.fail(`moved at ${x}, ${y}`);
  let moved = 0;
  for (let y = region.y; y < region.y + region.sizePx; y += 4) {
    for (let x = region.x; x < region.x + region.sizePx; x += 4) if (differs(x, y) > 12) moved++;
  }
  t.ok(moved > 500, `the head does move: ${moved} of 9216 samples`);
});

t.test("a frame stays valid while the next one is rendered, and wrong lengths are refused", async (t) => {
  const first = await avatar.render(toParameterVector({ close: 1 }));
  const kept = Buffer.from(first.data.slice());
  const second = await avatar.render(toParameterVector({ close: 1, jaw: 1 }));
  t.ok(kept.equals(first.data), "the first is untouched");
  t.notOk(kept.equals(second.data), "the second differs");
  await t.rejects(avatar.render(new Float32Array(20)), RangeError);
});

t.test("a drawn character with marks speaks with drawn teeth, also in the light family", async (t) => {
  const imx = await bakedFace("drawing", "essence-2-light");
  const { sizePx } = imx.manifest.region;
  t.ok(sizePx > 256 && sizePx < 384, `the region follows a face that fills its portrait: ${sizePx} px`);
  t.same(imx.manifest.restPose, { close: 1 }, "a closed mouth keeps its expression");
  const small = await openAvatar(imx, runtime);
  const rest = await renderPose(small, {});
  const open = await renderPose(small, { jaw: 0.8 });
  t.ok(
    open.data.some((value, index) => Math.abs(value - rest.data[index]) > 60),
    "the mouth opens",
  );
  await small.close();
  await small.close();
});

t.test("portraits are framed so that region and canvas fit, for every position of the face", async (t) => {
  const { image, points } = photo;
  const oval = faceOval(points);
  for (const canvas of [
    { widthPx: 512, heightPx: 512 },
    { widthPx: 912, heightPx: 512 },
    { widthPx: 512, heightPx: 912 },
  ]) {
    const framed = framePortrait(image, points, { canvas, regionPx: 384 });
    t.same([framed.canvas.widthPx, framed.canvas.heightPx], [canvas.widthPx, canvas.heightPx]);
    t.ok(framed.region.x % 2 === 0 && framed.region.y % 2 === 0);
    const { heightPx } = faceOval(framed.points);
    t.ok(heightPx > 0.5 * 384 && heightPx < 0.64 * 384, `oval ${heightPx}`);
  }
  // A face against the left edge: it stays off the middle rather than that anything is made up beside it.
  const cut = createRgbImage(260, image.heightPx);
  const left = Math.round(oval.centre.x - oval.widthPx / 2);
  for (let y = 0; y < image.heightPx; y++) {
    const from = 3 * (y * image.widthPx + left);
    cut.data.set(image.data.subarray(from, from + 3 * 260), 3 * y * 260);
  }
  const moved = points.map((value, index) => (index % 3 === 0 ? value - left : value));
  const framed = framePortrait(cut, moved, { canvas: { widthPx: 512, heightPx: 512 }, regionPx: 384 });
  const { centre, widthPx } = faceOval(framed.points);
  t.match(framed, { backdrop: "none", region: { x: 0 } });
  t.ok(centre.x - widthPx / 2 > -1, "the whole face is in the region");
  const edgeBake = await bakePortrait(cut, { points: moved });
  t.ok(edgeBake.rig.length > 1e5);
  // A photo that is a pixel too small is enlarged a little more rather than given a made-up edge.
  const sidePx = Math.round(512 / ((0.61 * 384) / oval.heightPx)) - 1;
  const corner = {
    x: Math.round(oval.centre.x - sidePx / 2),
    y: Math.round(oval.centre.y - 0.5 * sidePx),
    widthPx: sidePx,
    heightPx: sidePx,
  };
  const inCorner = mapPoints(points, { scaleX: 1, scaleY: 1, shiftX: corner.x, shiftY: corner.y });
  const whole = framePortrait(cropRgbImage(image, corner), inCorner, {
    canvas: { widthPx: 512, heightPx: 512 },
    regionPx: 384,
  });
  t.ok(Math.abs(whole.points[0] - ((inCorner[0] + 0.5) * (512 / sidePx) - 0.5)) < 0.01, "the photo fills the canvas");
  t.throws(() => framePortrait(image, points, { canvas: { widthPx: 256, heightPx: 256 }, regionPx: 384 }), RangeError);
  t.throws(() => framePortrait(image, points, { canvas: { widthPx: 511, heightPx: 512 }, regionPx: 384 }), RangeError);
});

t.test("for every head motion, the border of the face region matches the image around it", async (t) => {
  const { x, y, sizePx } = region;
  const rim = async (pose: FacePose) => {
    const { data } = await avatar.render(toParameterVector(pose));
    const top = (column: number) => data[y * avatar.widthPx + x + column];
    const left = (row: number) => data[(y + row) * avatar.widthPx + x];
    return Array.from({ length: 2 * sizePx }, (_, i) => (i < sizePx ? top(i) : left(i - sizePx)));
  };
  const still = await rim({});
  for (const pose of [
    { ty: 1.5, pitch: 1 },
    { yaw: -1, roll: 1, tx: 1 },
    { yaw: 0.7, roll: 0.5 },
  ]) {
    const moved = await rim(pose);
    const drift = moved.reduce((sum, value, i) => sum + value - still[i], 0) / moved.length;
    t.ok(Math.abs(drift) < 0.3, `${JSON.stringify(pose)}: ${drift.toFixed(2)} levels darker or brighter on average`);
  }
});

t.test("a bundle with a graph of other outputs than a rig is refused", async (t) => {
  const foreign = await smallAvatar();
  const failure = await openAvatar(foreign, runtime).catch((error: unknown) => error);
  t.ok(isEngineError(failure) && failure.code === "bundle-invalid");
});
