// Renders every portrait of a folder with open and with shut eyes, for check_lids.py:
//
//   npx tsx lab/independent/render-blinks.ts FOLDER OUT
//
// OUT/NAME.open.png, OUT/NAME.shut.png, and OUT/NAME.json: the 478 face points [x, y] in pixels of both.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { toParameterVector } from "../../shared/face-parameters.ts";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { encodePng } from "../../src/signal/image/encode-image.ts";
import { i420ToRgb } from "../../src/signal/image/i420-frame.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";

const PICTURES = /\.(jpe?g|png|webp)$/i;

const [folder, out] = process.argv.slice(2);
if (!folder || !out) throw new Error("usage: npx tsx lab/independent/render-blinks.ts FOLDER OUT");
const runtime = createNodeRuntime();
const tools = await loadBakeTools(runtime);
const finder = await FaceFinder.load(runtime, await loadFaceModels());
await mkdir(out, { recursive: true });
for (const file of (await readdir(folder)).filter((name) => PICTURES.test(name)).sort()) {
  const name = basename(file, extname(file));
  try {
    await render(join(folder, file), join(out, name));
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
  }
}
await finder.close();

async function render(path: string, target: string): Promise<void> {
  const portrait = await decodeImage(await readFile(path));
  const { landmarks } = await choosePortraitFace(portrait, finder);
  const { imx, baked } = await bakeImx(portrait, { points: landmarks.points }, tools);
  const avatar = await openAvatar(imx, runtime);
  for (const [pose, lids] of [
    ["open", 0],
    ["shut", 1],
  ] as const) {
    const parameters = toParameterVector({ ...avatar.restPose, blinkL: lids, blinkR: lids });
    await writeFile(`${target}.${pose}.png`, await encodePng(i420ToRgb(await avatar.render(parameters))));
  }
  await avatar.close();
  const points = Array.from({ length: baked.points.length / 3 }, (_, i) => [...baked.points.slice(3 * i, 3 * i + 2)]);
  await writeFile(`${target}.json`, JSON.stringify(points));
}
