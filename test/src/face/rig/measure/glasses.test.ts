import t from "tap";
import { type FacePose, toParameterVector } from "../../../../../shared/face-parameters.ts";
import { type EyePoints, LEFT_EYE, pointAt, RIGHT_EYE } from "../../../../../src/face/portrait/face-points.ts";
import { openAvatar } from "../../../../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../../../../src/face/rig/bake-imx.ts";
import { bakePortrait } from "../../../../../src/face/rig/bake-portrait.ts";
import { createFaceGeometry, type FaceGeometry } from "../../../../../src/face/rig/measure/face-geometry.ts";
import { fitToGlasses } from "../../../../../src/face/rig/measure/glasses.ts";
import { createLidTextures } from "../../../../../src/face/rig/textures/lid-textures.ts";
import { createRgbImage, type RgbImage } from "../../../../../src/signal/image/raster.ts";
import {
  bakeTools,
  drawnFace,
  finder,
  type MarkedPortrait,
  photographedFace,
  runtime,
} from "../../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());

const RIM_ACROSS = 1.45;
const RIM_DOWN = 1.05;

/** The portrait with a round frame painted round both eyes and over the nose; lengths in half eye widths. */
function withGlasses(face: MarkedPortrait, [red, green, blue]: readonly number[]): MarkedPortrait {
  const { image, points } = face;
  const worn = createRgbImage(image.widthPx, image.heightPx, image.data.slice());
  const [left, right] = [placeOf(points, LEFT_EYE), placeOf(points, RIGHT_EYE)];
  const slope = (right.y - left.y) / (right.x - left.x);
  for (let row = 0; row < image.heightPx; row++) {
    for (let column = 0; column < image.widthPx; column++) {
      const rims = [left, right].map(({ x, y, half }) => {
        const [across, down] = [(column - x) / (RIM_ACROSS * half), (row - y) / (RIM_DOWN * half)];
        const radius = Math.hypot(across, down);
        // Pixels from the middle of the rim; its slope differs along the ellipse.
        const steep = Math.hypot(across / (RIM_ACROSS * half), down / (RIM_DOWN * half)) / Math.max(radius, 1e-6);
        return 0.075 * half + 0.5 - Math.abs(radius - 1) / steep;
      });
      const isBetween = column > left.x + RIM_ACROSS * left.half - 1 && column < right.x - RIM_ACROSS * right.half + 1;
      const bridge = 0.09 * left.half + 0.5 - Math.abs(row - left.y - slope * (column - left.x));
      const alpha = Math.min(1, Math.max(0, ...rims, isBetween ? bridge : 0));
      const at = 3 * (row * image.widthPx + column);
      [red, green, blue].forEach((value, channel) => {
        worn.data[at + channel] += Math.round(alpha * (value - worn.data[at + channel]));
      });
    }
  }
  return { ...face, image: worn };
}

function placeOf(points: Float32Array, eye: EyePoints): { x: number; y: number; half: number } {
  const [left, right] = [pointAt(points, eye.upper[0]), pointAt(points, eye.upper[8])];
  return {
    x: (left.x + right.x) / 2,
    y: (left.y + right.y) / 2,
    half: Math.hypot(right.x - left.x, right.y - left.y) / 2,
  };
}

/** The portrait's geometry in its own pixels. */
function geometryOf({ image, points }: MarkedPortrait): FaceGeometry {
  return createFaceGeometry(points, Math.min(image.widthPx, image.heightPx));
}

for (const [name, face, colour] of [
  ["photograph, black frame", await photographedFace(), [21, 18, 18]],
  ["photograph, metal frame", await photographedFace(), [104, 102, 100]],
  ["drawing, black frame", await drawnFace(), [21, 18, 18]],
] as const) {
  t.test(`${name}: glasses are detected only if the face wears them`, async (t) => {
    const bare = geometryOf(face);
    t.equal(fitToGlasses(bare, face.image), bare, "the same object");
    const worn = fitToGlasses(bare, withGlasses(face, colour).image);
    t.ok(worn.glasses);
    for (const bottom of worn.glasses?.rimBottoms ?? []) {
      t.ok(Math.abs(bottom - RIM_DOWN) < 0.2, `a lower rim ends at ${bottom.toFixed(2)}`);
    }
    worn.eyes.forEach((eye, side) => {
      const top = eye.upper(0) - eye.lidReach(0);
      t.ok(
        top > -RIM_DOWN && top < eye.upper(0) - 0.15,
        `the lid of eye ${side} unfolds under the rim: ${top.toFixed(2)}`,
      );
    });
  });
}

t.test("behind glasses, a blink and a speaking mouth do not move the rims", async (t) => {
  const face = withGlasses(await photographedFace(), [21, 18, 18]);
  const { imx, baked } = await bakeImx(face.image, face, bakeTools, { family: "essence-2-light" });
  t.same(baked.notes, []);
  const avatar = await openAvatar(imx, runtime);
  t.teardown(() => avatar.close());
  const luma = async (pose: FacePose) =>
    (await avatar.render(toParameterVector({ close: 1, ...pose }))).data.slice(0, 512 * 512);
  const still = await luma({});
  for (const [name, pose] of [
    ["blink", { blinkL: 1, blinkR: 1 }],
    ["smile", { smile: 1, wide: 0.5 }],
    ["no smile", { smile: -0.8, wide: -0.3 }],
    ["OO", { pucker: 1, close: 0.6 }],
  ] as const) {
    const moved = await luma(pose);
    for (const eye of [LEFT_EYE, RIGHT_EYE]) {
      const { x, y, half } = placeOf(baked.points, eye);
      const changeAt = (px: number, py: number) => {
        const at = Math.round(py) * 512 + Math.round(px);
        return Math.abs(still[at] - moved[at]);
      };
      let rim = 0;
      for (let angle = 0; angle < 2 * Math.PI; angle += 0.1) {
        rim = Math.max(rim, changeAt(x + RIM_ACROSS * half * Math.cos(angle), y + RIM_DOWN * half * Math.sin(angle)));
      }
      t.ok(rim <= 2, `${name}: the rim changes by ${rim}`);
      if (name === "blink") t.ok(changeAt(x, y) > 30, `the pupil by ${changeAt(x, y)}`);
    }
  }
});

t.test("a rim around one eye only does not count as glasses", async (t) => {
  const face = await photographedFace();
  const both = withGlasses(face, [21, 18, 18]).image;
  const half: RgbImage = createRgbImage(both.widthPx, both.heightPx, face.image.data.slice());
  const middle = Math.round(pointAt(face.points, 168).x);
  for (let y = 0; y < both.heightPx; y++) {
    const from = 3 * y * both.widthPx;
    half.data.set(both.data.subarray(from, from + 3 * middle), from);
  }
  t.notOk(fitToGlasses(geometryOf(face), half).glasses);
});

t.test("behind dark lenses no eye blinks, behind clear ones both do", async (t) => {
  const face = await photographedFace();
  const worn = withGlasses(face, [21, 18, 18]).image;
  const clear = fitToGlasses(geometryOf(face), worn);
  t.same(
    clear.eyes.map(({ lidTravel }) => lidTravel),
    [1, 1],
  );
  const dark = createRgbImage(worn.widthPx, worn.heightPx, worn.data.slice());
  for (const eye of [LEFT_EYE, RIGHT_EYE]) {
    const { x, y, half } = placeOf(face.points, eye);
    for (let at = 0; at < dark.data.length; at++) {
      const pixel = Math.floor(at / 3);
      const across = ((pixel % worn.widthPx) - x) / (RIM_ACROSS * half);
      const down = (Math.floor(pixel / worn.widthPx) - y) / (RIM_DOWN * half);
      if (Math.hypot(across, down) < 1) dark.data[at] = Math.round(0.2 * worn.data[at]);
    }
  }
  const sunglasses = fitToGlasses(geometryOf(face), dark);
  t.same(
    sunglasses.eyes.map(({ lidTravel }) => lidTravel),
    [0, 0],
  );
  const { alphas } = createLidTextures(dark, sunglasses);
  t.ok(
    alphas.every(({ data }) => data.every((value) => value === 0)),
    "no lid is drawn",
  );
  t.same((await bakePortrait(dark, face)).notes, ["hidden-eyes"], "which the bake says");
});
