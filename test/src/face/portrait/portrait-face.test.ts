import { readFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import t from "tap";
import { isEngineError } from "../../../../shared/engine-error.ts";
import { FaceFinder, type FaceLandmarks } from "../../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../../src/face/portrait/face-models.ts";
import { FACE_OVAL, LEFT_IRIS, RIGHT_IRIS } from "../../../../src/face/portrait/mesh-points.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../../../src/face/portrait/portrait-face.ts";
import { decodeImage } from "../../../../src/signal/image/decode-image.ts";
import type { RgbImage } from "../../../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../../../src/signal/inference/node-runtime.ts";

const PORTRAITS = new URL("../../../fixtures/portraits/", import.meta.url);
const WALL = { r: 120, g: 140, b: 150 };
const photo = await readFile(new URL("astronaut.png", PORTRAITS));
const MODELS = new URL("../../../../models/", import.meta.url);
const drawing = await readFile(new URL("cartoon.png", PORTRAITS));
const finder = await FaceFinder.load(createNodeRuntime(), await loadFaceModels());
t.teardown(() => finder.close());

const open = async (image: Sharp): Promise<RgbImage> => decodeImage(await image.png().toBuffer());
const wall = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: WALL } });
const at = ({ points }: FaceLandmarks, index: number): [number, number] => [points[3 * index], points[3 * index + 1]];
const near = (actual: [number, number], expected: [number, number], tolerancePx: number): boolean =>
  Math.hypot(actual[0] - expected[0], actual[1] - expected[1]) <= tolerancePx;

async function refusal(image: RgbImage): Promise<{ code: string; message: string }> {
  try {
    await choosePortraitFace(image, finder);
  } catch (error) {
    if (isEngineError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("was accepted");
}

const reference = await choosePortraitFace(await open(sharp(photo)), finder);

t.test("the detected points of a photograph match points placed by hand", async (t) => {
  // Read off the image, enlarged ten times.
  const seen: [string, number, [number, number]][] = [
    ["left pupil", LEFT_IRIS, [203.6, 101]],
    ["right pupil", RIGHT_IRIS, [246, 103.5]],
    ["left mouth corner", 61, [201.5, 138.5]],
    ["right mouth corner", 291, [246, 142]],
    ["lower rim of the upper lip", 13, [224, 142.5]],
    ["upper rim of the lower lip", 14, [224, 150]],
    ["chin", 152, [222, 177.5]],
  ];
  for (const [name, index, expected] of seen) {
    const actual = at(reference.landmarks, index);
    t.ok(near(actual, expected, 2.5), `${name} at ${actual.map((value) => value.toFixed(1))}`);
  }
  t.ok(Math.abs(reference.pupilDistancePx - 42.5) < 1);
  t.equal(reference.landmarks.points.length, 478 * 3);
  t.ok(reference.landmarks.points.every(Number.isFinite));
  const depth = (index: number): number => reference.landmarks.points[3 * index + 2];
  t.ok(depth(1) < depth(234) && depth(1) < depth(454), "the nose is nearer than the ears");
  t.ok(reference.confidence >= MIN_AUTOMATIC_CONFIDENCE);
  t.notOk(reference.isDrawn);
});

t.test("the same face is detected enlarged, small in a large image, rotated, and filling the image", async (t) => {
  const enlarged = await choosePortraitFace(await open(sharp(photo).resize(1536)), finder);
  const small = await choosePortraitFace(
    await open(
      wall(2000, 2000).composite([{ input: await sharp(photo).resize(400).toBuffer(), left: 1400, top: 1200 }]),
    ),
    finder,
  );
  const tight = await choosePortraitFace(
    await open(sharp(photo).extract({ left: 165, top: 55, width: 120, height: 135 })),
    finder,
  );
  const turned = await choosePortraitFace(await open(sharp(photo).rotate(15, { background: WALL })), finder);
  const side = 512 * (Math.cos(Math.PI / 12) + Math.sin(Math.PI / 12));
  const turn = ([x, y]: [number, number]): [number, number] => {
    const [dx, dy] = [x - 255.5, y - 255.5];
    const [cos, sin] = [Math.cos(Math.PI / 12), Math.sin(Math.PI / 12)];
    return [dx * cos - dy * sin + side / 2 - 0.5, dx * sin + dy * cos + side / 2 - 0.5];
  };
  for (const index of [LEFT_IRIS, RIGHT_IRIS, 1, 13, 61, 291, 152, 10]) {
    const [x, y] = at(reference.landmarks, index);
    t.ok(near(at(enlarged.landmarks, index), [3 * x + 1, 3 * y + 1], 6), `enlarged ${index}`);
    const scale = 400 / 512;
    t.ok(near(at(small.landmarks, index), [1400 + scale * x, 1200 + scale * y], 2), `small ${index}`);
    t.ok(near(at(tight.landmarks, index), [x - 165, y - 55], 3), `tight ${index}`);
    t.ok(near(at(turned.landmarks, index), turn([x, y]), 3), `turned ${index}`);
  }
});

t.test("a face with found mouth and lids is sure, whatever its brows, glasses or style", async (t) => {
  // Each failed when the eye network's brows counted as well.
  for (const name of ["portraits/hana", "gallery/lucia", "gallery/kenji"]) {
    const face = await choosePortraitFace(await open(sharp(await readFile(new URL(`${name}.png`, MODELS)))), finder);
    t.ok(face.confidence >= 0.9, `${name}: ${face.confidence}`);
  }
  const lens = await sharp({ create: { width: 34, height: 26, channels: 3, background: "#141416" } })
    .png()
    .toBuffer();
  const sunglasses = sharp(photo).composite([
    { input: lens, left: 186, top: 90 },
    { input: lens, left: 229, top: 92 },
  ]);
  const hidden = await choosePortraitFace(await open(sunglasses), finder);
  t.ok(hidden.confidence >= MIN_AUTOMATIC_CONFIDENCE, `behind dark lenses: ${hidden.confidence}`);
  const faded = sharp(photo).flop().linear(0.3, 20).greyscale().toColourspace("srgb");
  const { confidence } = await choosePortraitFace(await open(faded), finder);
  t.ok(confidence >= MIN_AUTOMATIC_CONFIDENCE, `mirrored, dark, faded and without colour: ${confidence}`);
});

t.test("a drawn face with misplaced mouth or lids is left to a person", async (t) => {
  const drawn = await choosePortraitFace(await open(sharp(drawing)), finder);
  t.ok(drawn.isDrawn);
  t.ok(drawn.confidence < MIN_AUTOMATIC_CONFIDENCE && drawn.confidence > 0.2, `confidence ${drawn.confidence}`);
  t.ok(near(at(drawn.landmarks, LEFT_IRIS), [208, 226], 5) && near(at(drawn.landmarks, RIGHT_IRIS), [304, 226], 5));
  for (const name of ["bolt", "rusty"]) {
    const image = await open(sharp(await readFile(new URL(`gallery/${name}.png`, MODELS))));
    const { confidence } = await choosePortraitFace(image, finder);
    t.ok(confidence < MIN_AUTOMATIC_CONFIDENCE, `${name}: ${confidence}`);
  }
});

t.test("readings in a mirror give the points of the image, so that errors to one side cancel", async (t) => {
  const image = await open(sharp(photo));
  const both = await finder.landmarks(image, reference.candidate, { isMirroredToo: true });
  for (const index of [1, 13, 14, 33, 61, 133, 152, 263, 291, 362]) {
    t.ok(near(at(both, index), at(reference.landmarks, index), 2), `${index}`);
  }
  t.ok(both.lidMismatch < reference.landmarks.lidMismatch, "lids agree better with the eye network");
});

t.test("a covered mouth and a face turned away are refused; a drawing of one is left to a person", async (t) => {
  const patch = (width: number, height: number, background: string) =>
    sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer();
  for (const [cover, colour] of [
    ["grey", "#808080"],
    ["of skin's colour", "#c99a80"],
  ]) {
    const covered = sharp(photo).composite([{ input: await patch(66, 36, colour), left: 191, top: 128 }]);
    const message = /mouth is covered.*uncovered/;
    t.match(await refusal(await open(covered)), { code: "face-unsuitable", message }, cover);
  }
  const folds = Buffer.from(
    Array.from(
      { length: 84 * 70 * 3 },
      (_, i) => 190 + 15 * Math.sin((Math.PI * Math.floor(i / 252)) / 6) + (i % 3) * 8,
    ),
  );
  const mask = { input: folds, raw: { width: 84, height: 70, channels: 3 as const }, left: 182, top: 112 };
  t.match(await refusal(await open(sharp(photo).composite([mask]))), { code: "face-unsuitable", message: /covered/ });
  // Rendered heads, turned by 55 and 80°: one is known by its mesh, of one only the detector finds anything.
  for (const name of ["turned.jpg", "profile.jpg"]) {
    const image = await decodeImage(await readFile(new URL(name, PORTRAITS)));
    t.match(await refusal(image), { code: "face-unsuitable", message: /turned.*from the front/ }, name);
  }
  const maya = sharp(await readFile(new URL("gallery/maya.png", MODELS)));
  const masked = maya.composite([{ input: await patch(220, 110, "#e0e4e8"), left: 275, top: 465 }]);
  t.equal((await choosePortraitFace(await open(masked), finder)).confidence, 0);
});

t.test("an image without a usable face is refused with the reason and the remedy", async (t) => {
  const noFace = await open(sharp(photo).extract({ left: 280, top: 200, width: 232, height: 312 }));
  t.match(await refusal(noFace), { code: "no-face", message: /No face.*Use/ });
  t.match(await refusal(await open(wall(600, 400))), { code: "no-face" });
  t.match(await refusal(await open(wall(1, 1))), { code: "no-face" });
  t.match(await refusal(await open(wall(3000, 2))), { code: "no-face" });
  const two = await open(
    wall(1024, 512).composite([
      { input: photo, left: 0, top: 0 },
      { input: await sharp(photo).resize(440).toBuffer(), left: 540, top: 30 },
    ]),
  );
  t.match(await refusal(two), { code: "face-unsuitable", message: /several faces.*Crop/ });
  const tiny = await open(sharp(photo).resize(200));
  t.match(await refusal(tiny), { code: "face-unsuitable", message: /too small.* 1\d px apart.*larger/ });
  const cut = await open(sharp(photo).extract({ left: 150, top: 0, width: 160, height: 145 }));
  t.match(await refusal(cut), { code: "face-unsuitable", message: /cut off/ });
});

t.test("a second face that is much smaller is ignored", async (t) => {
  const image = await open(
    wall(700, 512).composite([
      { input: photo, left: 0, top: 0 },
      { input: await sharp(photo).resize(190).toBuffer(), left: 510, top: 100 },
    ]),
  );
  t.equal((await finder.find(image)).length, 2, "both are found");
  const face = await choosePortraitFace(image, finder);
  t.ok(near(at(face.landmarks, LEFT_IRIS), at(reference.landmarks, LEFT_IRIS), 2));
});

t.test("the person is segmented from the background", async (t) => {
  const image = await open(sharp(photo));
  const mask = await finder.segment(image);
  t.same([mask.widthPx, mask.heightPx, mask.channels], [512, 512, 1]);
  const inFace = FACE_OVAL.map((index) => at(reference.landmarks, index)).map(
    ([x, y]) => mask.data[Math.round((y + 125) / 2) * 512 + Math.round((x + 226) / 2)],
  );
  t.ok(Math.min(...inFace) > 0.9, "face");
  t.ok(mask.data[60 * 512 + 40] < 0.1 && mask.data[60 * 512 + 380] < 0.1, "wall left and right");
});

t.test("closing twice is safe", async () => {
  const other = await FaceFinder.load(createNodeRuntime(), await loadFaceModels());
  await other.close();
  await other.close();
});
