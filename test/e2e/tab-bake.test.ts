// A tab of a real browser finds faces and bakes as Node does, and says what is wrong with a picture.
import { readFile } from "node:fs/promises";
import sharp, { type Sharp } from "sharp";
import t, { type Test } from "tap";
import { type EngineTab, type EngineTabOptions, withEngineTab } from "../../lab/bench/engine-tab.ts";
import { CHROMIUM_MISSING, findChromium } from "../../lab/bench/with-chromium.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { readImx } from "../../src/face/imx/read-imx.ts";
import { faceFlaw } from "../../src/face/portrait/face-flaw.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { seededPoses } from "../helpers/faces/compare-renderers.ts";
import { bakeTools, finder, runtime } from "../helpers/faces/face-of.ts";

const PORTRAITS = ["gallery/maya.png", "gallery/kwame.png", "gallery/lady-agnew.jpg"];
const MODELS = new URL("../../models/", import.meta.url);
const FIXTURES = new URL("../fixtures/portraits/", import.meta.url);
const WALL = { r: 120, g: 140, b: 150 };
const MAX_FETCHED_BYTES = 6e6;
const POSES = 12;
/** Of numbers that the marks decide: those of two builds of ONNX Runtime differ in their last digits. */
const TOLERANCE = 1e-4;

const photo = await readFile(new URL("astronaut.png", FIXTURES));
const skip = findChromium() ? false : CHROMIUM_MISSING;
const wall = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: WALL } });
const png = (image: Sharp): Promise<Buffer> => image.png().toBuffer();

t.test("a tab bakes the avatar that Node bakes", { skip, timeout: 240_000 }, async (t) => {
  const files = Object.fromEntries(
    await Promise.all(PORTRAITS.map(async (name) => [name, await readFile(new URL(name, MODELS))] as const)),
  );
  await withEngineTab({ files }, async (tab) => {
    for (const name of PORTRAITS) {
      const image = await decodeImage(files[name]);
      const { candidate, landmarks } = await choosePortraitFace(image, finder);
      const { imx: inNode } = await bakeImx(image, { points: landmarks.points }, bakeTools);
      const found = await tab.call("findFaces", name);
      t.match(found, { widthPx: image.widthPx, heightPx: image.heightPx, flaw: null }, name);
      t.ok(Math.abs(found.faces[0].score - candidate.score) < TOLERANCE);
      const { imx, progress } = await tab.call("bakeFace", 0);
      const inTab = await readImx(new Uint8Array(Buffer.from(imx, "base64")));
      t.same(rounded(inTab), rounded(inNode), "the same manifest");
      t.same(progress, [...progress].sort());
      t.ok(progress.length >= 5 && progress.at(-1) === 1, `progress: ${progress.join(" ")}`);
      const { largest, mean } = await compareFrames(inTab, inNode);
      t.ok(largest <= 1 && mean < 0.001, `frames differ by ${largest} levels at most, ${mean.toFixed(6)} on average`);
      t.same([...inTab.gestures.keys()], [...inNode.gestures.keys()]);
    }
    const fetched = await tab.fetchedBytes();
    const bytes = [...fetched.values()].reduce((sum, size) => sum + size, 0);
    for (const [path, size] of fetched) t.comment(`${path}: ${size} bytes`);
    t.ok([...fetched.keys()].some((path) => /ort-wasm/.test(path)) && bytes < MAX_FETCHED_BYTES, `${bytes} bytes`);
    t.same(tab.problems, []);
  });
});

t.test("a tab finds what is wrong with a picture while it can be changed", { skip, timeout: 240_000 }, async (t) => {
  const files = await pictures();
  await withEngineTab({ files }, async (tab) => {
    await findsFlaws(t, tab);
    await choosesOneOfTwo(t, tab);
    await turnsAndStraightens(t, tab);
    await refusesFiles(t, tab);
    await cancels(t, tab);
    t.same(tab.problems, []);
  });
});

t.test("what the tab lacks is said, and the next try starts anew", { skip, timeout: 240_000 }, async (t) => {
  const withPhoto = async (options: Omit<EngineTabOptions, "files">): Promise<string> =>
    withEngineTab({ files: { "photo.png": photo }, ...options }, async (tab) => {
      const first = await problemOf(tab, "photo.png");
      t.equal(await problemOf(tab, "photo.png"), first, "the same again, not an answer that never comes");
      return first;
    });
  t.match(await withPhoto({ forbidsWasm: true }), /webassembly: .*does not run WebAssembly.*Allow it/);
  for (const missing of [/bake-worker/, /iris_landmark/, /ort-wasm/]) {
    t.match(await withPhoto({ missing }), /network: .*could not be loaded\. Check the connection/, String(missing));
  }
});

/** Pictures made from the photograph, and files that no browser opens. */
async function pictures(): Promise<Record<string, Buffer>> {
  const mask = await png(sharp({ create: { width: 60, height: 44, channels: 3, background: "#9fb6c4" } }));
  const svg = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>',
  );
  return {
    "photo.png": photo,
    "wall.png": await png(wall(640, 480)),
    "dark.png": await png(sharp(photo).linear(0.15, 0)),
    "masked.png": await png(sharp(photo).composite([{ input: mask, left: 194, top: 128 }])),
    "tiny.png": await png(
      wall(800, 600).composite([{ input: await png(sharp(photo).resize(200)), left: 30, top: 40 }]),
    ),
    "side.jpg": await readFile(new URL("turned.jpg", FIXTURES)),
    "profile.jpg": await readFile(new URL("profile.jpg", FIXTURES)),
    "robot.png": await readFile(new URL("gallery/bolt.png", MODELS)),
    "two.png": await png(
      wall(900, 512).composite([
        { input: await png(sharp(photo).extract({ left: 100, top: 0, width: 260, height: 512 })), left: 40, top: 0 },
        {
          input: await png(sharp(photo).extract({ left: 100, top: 0, width: 260, height: 512 }).flop()),
          left: 560,
          top: 0,
        },
      ]),
    ),
    "lying.png": await png(sharp(photo).rotate(90)),
    "exif.jpg": await sharp(photo).rotate(270).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }).toBuffer(),
    "leaning.png": await png(sharp(photo).rotate(14, { background: WALL })),
    "moving.gif": await sharp([photo, await png(wall(512, 512))], { join: { animated: true } })
      .gif()
      .toBuffer(),
    "drawing.svg": svg,
    "phone.heic": Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1"),
    "broken.jpg": Buffer.from("\xff\xd8\xff\xe0 this is no picture", "latin1"),
    "cut.png": photo.subarray(0, 900),
    "words.txt": Buffer.from("Hello."),
    "large.jpg": await wall(10_000, 10_000).jpeg({ quality: 40 }).toBuffer(),
  };
}

async function findsFlaws(t: Test, tab: EngineTab): Promise<void> {
  const flawOf = async (name: string) => (await tab.call("findFaces", name)).flaw;
  t.same(await flawOf("wall.png"), faceFlaw("no-face"));
  t.same(await flawOf("masked.png"), faceFlaw("mouth-covered"));
  t.same(await flawOf("side.jpg"), faceFlaw("turned"));
  t.same(await flawOf("profile.jpg"), faceFlaw("turned"), "no face that can be read, but one that is seen");
  t.same(await flawOf("robot.png"), faceFlaw("unsure"));
  t.match(await flawOf("tiny.png"), { kind: "too-small", message: /too small: the pupils are 1\d px apart/ });
  const dark = await tab.call("findFaces", "dark.png");
  t.equal(dark.flaw, null, "a dark face can be baked");
  t.match(dark.faces[0].hint, { kind: "too-dark", message: /window or lamp/ });
  t.equal((await tab.call("findFaces", "photo.png")).faces[0].hint, null);
}

async function choosesOneOfTwo(t: Test, tab: EngineTab): Promise<void> {
  const both = await tab.call("findFaces", "two.png");
  t.same(both.flaw, faceFlaw("several"));
  t.equal(both.faces.length, 2);
  for (const { box, surroundings, flaw } of both.faces) {
    t.equal(flaw, null, "either can be baked");
    const one = await tab.call("findFaces", "two.png", { ...both.edit, crop: surroundings });
    t.equal(one.flaw, null);
    t.same([one.widthPx, one.heightPx], [surroundings.widthPx, surroundings.heightPx]);
    const [{ box: again, surroundings: closer }] = one.faces;
    const oneAgain = await tab.call("findFaces", "two.png", { ...one.edit, crop: closer });
    t.match(oneAgain, { flaw: null, faces: [{ surroundings: { x: closer.x, y: closer.y } }] }, "a crop of a crop");
    const movedPx = Math.hypot(again.x + surroundings.x - box.x, again.y + surroundings.y - box.y);
    t.ok(movedPx < 0.15 * box.widthPx, `the same face, its box moved by ${movedPx.toFixed(1)} px`);
    const sent = await decodeImage(Buffer.from(await tab.call("editedPicture"), "base64"));
    t.ok((await choosePortraitFace(sent, finder)).confidence > 0.9, "the service finds that face alone, too");
  }
  const { imx } = await tab.call("bakeFace", 0);
  await readImx(new Uint8Array(Buffer.from(imx, "base64")));
}

async function turnsAndStraightens(t: Test, tab: EngineTab): Promise<void> {
  const upright = await tab.call("findFaces", "photo.png");
  const [{ box, tiltDeg }] = upright.faces;
  for (const name of ["lying.png", "exif.jpg"]) {
    const found = await tab.call("findFaces", name);
    t.equal(found.edit.turn, name === "lying.png" ? 270 : undefined, "only what the camera did not know is found out");
    t.equal(found.flaw, null);
    t.ok(Math.abs(found.faces[0].box.x - box.x) < 4 && Math.abs(found.faces[0].box.y - box.y) < 4, name);
  }
  const lying = await tab.call("findFaces", "lying.png", { turn: 0 });
  t.match(lying, { edit: { turn: 0 }, flaw: faceFlaw("unsure") }, "a given turn stays");
  const leaning = await tab.call("findFaces", "leaning.png");
  t.ok(Math.abs(leaning.faces[0].tiltDeg - tiltDeg - 14) < 3, `leans by ${leaning.faces[0].tiltDeg}°`);
  const straight = await tab.call("findFaces", "leaning.png", { straightenDeg: leaning.faces[0].tiltDeg });
  t.ok(Math.abs(straight.faces[0].tiltDeg) < 3, `then by ${straight.faces[0].tiltDeg}°`);
  t.equal(straight.flaw, null);
  t.match(await tab.call("findFaces", "moving.gif"), { heightPx: 512, flaw: null }, "the first frame of an animation");
}

async function refusesFiles(t: Test, tab: EngineTab): Promise<void> {
  t.match(await problemOf(tab, "drawing.svg"), /picture: Vector drawings \(SVG\) are not accepted\. Save .* as PNG/);
  t.match(await problemOf(tab, "phone.heic"), /picture: This browser cannot open HEIC pictures\. Save .* as JPEG/);
  for (const name of ["broken.jpg", "cut.png", "words.txt"]) {
    t.match(await problemOf(tab, name), /picture: .*(damaged|not a picture).* Choose a JPEG/, name);
  }
  t.match(await problemOf(tab, "large.jpg"), /picture-size: The picture has 100 megapixels.*Scale it down/);
}

async function cancels(t: Test, tab: EngineTab): Promise<void> {
  await tab.call("findFaces", "photo.png");
  const { name, tookMs } = await tab.call("cancelBake", 0);
  t.equal(name, "AbortError");
  t.ok(tookMs < 100, `at once: ${tookMs} ms`);
  const { imx } = await tab.call("bakeFace", 0);
  t.ok(imx.length > 1e6, "the picture is still there, and can be baked");
}

async function problemOf(tab: EngineTab, name: string): Promise<string> {
  return tab.call("findFaces", name).then(
    () => "found faces",
    (error) => String(error),
  );
}

/** The manifest but for its time, numbers to the tolerance. */
function rounded({ manifest }: Imx): unknown {
  const round = (_: string, value: unknown) =>
    typeof value === "number" ? Math.round(value / TOLERANCE) * TOLERANCE : value;
  return JSON.parse(JSON.stringify({ ...manifest, createdAt: "" }, round));
}

/** Levels of 255, over all samples of some frames. */
async function compareFrames(first: Imx, second: Imx): Promise<{ largest: number; mean: number }> {
  const avatars = [await openAvatar(first, runtime), await openAvatar(second, runtime)];
  let [largest, sum, count] = [0, 0, 0];
  for (const { parameters, breath } of seededPoses(POSES, 7)) {
    const frame = (await avatars[0].render(parameters, breath)).data;
    const other = (await avatars[1].render(parameters, breath)).data;
    for (let i = 0; i < frame.length; i++) {
      const difference = Math.abs(frame[i] - other[i]);
      largest = Math.max(largest, difference);
      sum += difference;
    }
    count += frame.length;
  }
  for (const avatar of avatars) await avatar.close();
  return { largest, mean: sum / count };
}
