// Judges the avatars of a folder of portraits, one row each:
//
//   npx tsx lab/independent/check-folder.ts FOLDER [1:1|16:9|9:16]
//
// sure     confidence of the face finder; below .7 a person is asked
// outside  share of the canvas that the photograph does not cover
// smear    share of that in which the segmenter sees a person: neck, hair or clothes that the photograph lacks
// AA OH OO width of the opening between the lips, in widths of the face
// region   its side, px
// draw     CPU time of a frame with every parameter moving, in that of a drawn face with a region of 384 px, in turn
// bake     CPU time of finding the face and baking, s; bundle: MB
import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { type FacePose, toParameterVector } from "../../shared/face-parameters.ts";
import { type AspectRatio, CANVAS_SIZES } from "../../src/face/figure/canvas-sizes.ts";
import type { Imx } from "../../src/face/imx/imx.ts";
import { writeImx } from "../../src/face/imx/write-imx.ts";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { type FacePoints, pointAt } from "../../src/face/portrait/face-points.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import type { Avatar } from "../../src/face/rendering/avatar.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { SHEET_POSES } from "../../src/face/rendering/sheet-poses.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import type { RgbImage } from "../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { median } from "../../src/signal/math/statistics.ts";

const PICTURES = /\.(jpe?g|png|webp)$/i;
/** Forehead, chin and cheeks: where they lie says where the photograph lies on the canvas. */
const [TOP, BOTTOM, LEFT, RIGHT] = [10, 152, 234, 454];
/** A pixel of an opening is darker than the same pixel of closed lips by this much. */
const DARKER = 40;
const DRAWN_FRAMES = 40;

const [folder, aspect = "1:1"] = process.argv.slice(2);
if (!folder) throw new Error("usage: npx tsx lab/independent/check-folder.ts FOLDER [1:1|16:9|9:16]");
const canvas = CANVAS_SIZES[aspect as AspectRatio];
const runtime = createNodeRuntime();
const tools = await loadBakeTools(runtime);
const reference = await openReference();
const finder = await FaceFinder.load(runtime, await loadFaceModels());

const draws: number[] = [];
console.log("picture                   sure outside smear    AA   OH   OO  region draw bake bundle");
for (const name of (await readdir(folder)).filter((file) => PICTURES.test(file)).sort()) {
  console.log(`${basename(name, extname(name)).padEnd(24)} ${await judge(join(folder, name))}`);
}
await finder.close();
await reference.close();
console.log(
  `draw: mean ${(draws.reduce((total, draw) => total + draw, 0) / draws.length).toFixed(2)}, most ${Math.max(...draws).toFixed(2)}`,
);

async function judge(path: string): Promise<string> {
  const before = process.cpuUsage();
  const portrait = await decodeImage(await readFile(path));
  try {
    const { landmarks, confidence } = await choosePortraitFace(portrait, finder);
    const { imx, baked } = await bakeImx(portrait, { points: landmarks.points }, tools, { canvas });
    const bakeS = msSince(before) / 1000;
    const { outside, smear } = await measureSmear(portrait, landmarks.points, baked);
    const avatar = await openAvatar(imx, runtime);
    const widths = await openingWidths(avatar, imx);
    const draw = await measureDrawing(avatar);
    draws.push(draw);
    await avatar.close();
    const megabytes = (await writeImx(imx)).length / 1e6;
    return [
      confidence.toFixed(2).padStart(5),
      outside.toFixed(2).padStart(7),
      smear.toFixed(3).padStart(5),
      "",
      ...widths.map((width) => width.toFixed(2).padStart(4)),
      String(imx.manifest.region.sizePx).padStart(7),
      draw.toFixed(2).padStart(4),
      bakeS.toFixed(1).padStart(4),
      megabytes.toFixed(1).padStart(5),
    ].join(" ");
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

async function measureSmear(
  portrait: RgbImage,
  points: FacePoints,
  baked: { canvas: RgbImage; points: FacePoints },
): Promise<{ outside: number; smear: number }> {
  const across = place(points, baked.points, [LEFT, RIGHT], "x");
  const down = place(points, baked.points, [TOP, BOTTOM], "y");
  const person = await finder.segment(baked.canvas);
  let outside = 0;
  let persons = 0;
  for (let at = 0; at < person.data.length; at++) {
    const x = (at % person.widthPx) * across.scale + across.shift;
    const y = Math.floor(at / person.widthPx) * down.scale + down.shift;
    // Two pixels for rounding.
    if (x > -2 && x < portrait.widthPx + 1 && y > -2 && y < portrait.heightPx + 1) continue;
    outside += 1;
    if (person.data[at] > 0.5) persons += 1;
  }
  return { outside: outside / person.data.length, smear: persons / Math.max(1, outside) };
}

/** The line from pixels of the canvas to those of the portrait on one axis. */
function place(from: FacePoints, to: FacePoints, [first, second]: readonly [number, number], axis: "x" | "y") {
  const scale =
    (pointAt(from, second)[axis] - pointAt(from, first)[axis]) / (pointAt(to, second)[axis] - pointAt(to, first)[axis]);
  return { scale, shift: pointAt(from, first)[axis] - scale * pointAt(to, first)[axis] };
}

/** Of AA, OH and OO. */
async function openingWidths(avatar: Avatar, { manifest }: Imx): Promise<number[]> {
  const rest = toParameterVector(manifest.restPose);
  const lumaOf = async (pose: FacePose) => {
    const added = toParameterVector(pose);
    return Uint8Array.from((await avatar.render(rest.map((value, i) => value + added[i]))).data);
  };
  const closed = await lumaOf({});
  const { x, y, widthPx, heightPx } = manifest.face ?? { x: 0, y: 0, ...manifest.canvas };
  const widths: number[] = [];
  for (const pose of ["AA", "OH", "OO"]) {
    const open = await lumaOf(SHEET_POSES[pose]);
    let columns = 0;
    for (let column = x; column < x + widthPx; column++) {
      let dark = 0;
      for (let row = y + Math.round(heightPx / 2); row < y + heightPx; row++) {
        const at = row * avatar.widthPx + column;
        if (closed[at] - open[at] > DARKER) dark += 1;
      }
      if (dark >= 2) columns += 1;
    }
    widths.push(columns / widthPx);
  }
  return widths;
}

/** Median cost of a frame in that of the reference. */
async function measureDrawing(avatar: Avatar): Promise<number> {
  const times: number[][] = [[], []];
  for (let frame = 0; frame < DRAWN_FRAMES; frame++) {
    const pose = toParameterVector({}).map((_, i) => 0.3 * Math.sin(0.7 * frame + i));
    for (const [index, drawn] of [avatar, reference].entries()) {
      const before = process.cpuUsage();
      await drawn.render(pose);
      times[index].push(msSince(before));
    }
  }
  return median(times[0]) / median(times[1]);
}

/** A drawn face of the gallery. */
async function openReference(): Promise<Avatar> {
  const gallery = new URL("../../models/gallery/", import.meta.url);
  const image = await decodeImage(await readFile(new URL("maya.png", gallery)));
  const points = JSON.parse(await readFile(new URL("maya.points.json", gallery), "utf8")) as number[][];
  const { imx } = await bakeImx(image, { points: Float32Array.from(points.flat()) }, tools);
  return openAvatar(imx, runtime);
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
