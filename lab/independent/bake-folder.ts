// Bakes every picture of a folder, one after the other, for programs that render stills of each.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { type FacePose, toParameterVector } from "../../shared/face-parameters.ts";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { createFaceGeometry } from "../../src/face/rig/measure/face-geometry.ts";
import { fitToDrawnEyes } from "../../src/face/rig/measure/fit-drawn-eyes.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { encodePng } from "../../src/signal/image/encode-image.ts";
import { i420ToRgb } from "../../src/signal/image/i420-frame.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";

const PICTURES = /\.(jpe?g|png|webp)$/i;
/** Canvas and region of a bake at scale 1, px. */
const CANVAS_PX = 512;
const REGION_PX = 384;

/** Writes OUT/NAME.POSE.png for each picture and pose (added to the picture's rest pose), and OUT/NAME.json: the 478
 *  face points [x, y] in pixels of these images. `scale` 2 bakes twice the canvas and twice the region. A picture
 *  without a face is reported and left out. */
export async function renderFolder(
  folder: string,
  out: string,
  poses: Readonly<Record<string, FacePose>>,
  scale = 1,
): Promise<void> {
  const runtime = createNodeRuntime();
  const tools = await loadBakeTools(runtime);
  const finder = await FaceFinder.load(runtime, await loadFaceModels());
  await mkdir(out, { recursive: true });
  for (const file of (await readdir(folder)).filter((name) => PICTURES.test(name)).sort()) {
    const target = join(out, basename(file, extname(file)));
    try {
      const portrait = await decodeImage(await readFile(join(folder, file)));
      const { landmarks } = await choosePortraitFace(portrait, finder);
      const sidePx = CANVAS_PX * scale;
      const { imx, baked } = await bakeImx(portrait, { points: landmarks.points }, tools, {
        canvas: { widthPx: sidePx, heightPx: sidePx },
        regionPx: REGION_PX * scale,
      });
      const avatar = await openAvatar(imx, runtime);
      for (const [name, pose] of Object.entries(poses)) {
        const frame = await avatar.render(toParameterVector({ ...avatar.restPose, ...sumOf(avatar.restPose, pose) }));
        await writeFile(`${target}.${name}.png`, await encodePng(i420ToRgb(frame)));
      }
      await avatar.close();
      // As in the rig: large drawn eyes as the picture shows them.
      const { points: seen } = fitToDrawnEyes(createFaceGeometry(baked.points, sidePx), baked.canvas);
      const points = Array.from({ length: seen.length / 3 }, (_, i) => [...seen.slice(3 * i, 3 * i + 2)]);
      await writeFile(`${target}.json`, JSON.stringify(points));
    } catch (error) {
      console.error(`${file}: ${(error as Error).message}`);
    }
  }
  await finder.close();
}

/** The pose with what the rest pose already has of its parameters. */
function sumOf(rest: FacePose, pose: FacePose): FacePose {
  const entries = Object.entries(pose) as [keyof FacePose, number][];
  return Object.fromEntries(entries.map(([name, value]) => [name, value + (rest[name] ?? 0)]));
}
