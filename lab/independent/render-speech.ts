// Renders the input of `check_rig.py`: a portrait that speaks invented visemes with head motion and blinks, and the
// intended lip positions.
//
//   npx tsx lab/independent/render-speech.ts portrait.png folder [seconds]
//
// Writes folder/portrait.png (the framed portrait without loss), folder/0000.jpg … and folder/intent.jsonl, which has
// {kind, aperture, blink} per frame, aperture in eye distances. First come four stills of the portrait itself, moved
// gently, then as many of the rest pose, closures and blinks, then the speech at 25 fps. All are encoded alike.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FacePose, toParameterVector } from "../../shared/face-parameters.ts";
import { MOUTH_POSE_VECTORS } from "../../src/face/lip-sync/mouth-poses.ts";
import { Actor } from "../../src/face/motion/actor.ts";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { openAvatar } from "../../src/face/rendering/open-avatar.ts";
import { bakeImx } from "../../src/face/rig/bake-imx.ts";
import { DisplacementBasis } from "../../src/face/rig/displacements/displacement-basis.ts";
import { addLipDisplacements, type LipLayer } from "../../src/face/rig/displacements/lip-displacements.ts";
import { createFaceGeometry, type FaceGeometry } from "../../src/face/rig/measure/face-geometry.ts";
import { loadBakeTools } from "../../src/face/rig/node-bake-tools.ts";
import { RIG_INPUT_INDEX } from "../../src/face/rig-graph/rig-inputs.ts";
import { squareCropToImage, warpAffine } from "../../src/signal/image/affine.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { encodeJpeg, encodePng } from "../../src/signal/image/encode-image.ts";
import { type I420Frame, i420ToRgb, toI420Frame } from "../../src/signal/image/i420-frame.ts";
import { type RgbImage, toRgbImage } from "../../src/signal/image/raster.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { toRigInputs } from "../../test/helpers/faces/to-rig-inputs.ts";

const SEED = 7;
const SPEECH_DB = -20;
const HEAD = ["yaw", "pitch", "roll", "tx", "ty"] as const;
/** A gentle head, for stills. */
const TURNS: readonly FacePose[] = [
  {},
  { yaw: 0.3, roll: 0.2 },
  { yaw: -0.3, pitch: 0.2 },
  { pitch: -0.2, roll: -0.3, tx: 0.3 },
];
/** How the photo is moved to imitate head motion: degrees of roll, horizontal and vertical shift as shares of its size,
 *  zoom. */
const MOVES = [
  { rollDeg: 0.6, across: 0.004, down: 0.003, zoom: 1.004 },
  { rollDeg: 1, across: -0.006, down: 0, zoom: 1 },
  { rollDeg: -0.8, across: 0.005, down: -0.004, zoom: 0.994 },
  { rollDeg: -1.4, across: 0.009, down: 0.002, zoom: 1.006 },
] as const;
const STILLS: Readonly<Record<string, FacePose>> = {
  rest: {},
  closure: { rollU: 0.45, rollL: 0.45, jaw: -0.03 },
  blink: { blinkL: 1, blinkR: 1 },
};

const [portrait, folder, seconds = "20"] = process.argv.slice(2);
if (!folder) throw new Error("usage: render-speech.ts portrait folder [seconds]");
const runtime = createNodeRuntime();
const finder = await FaceFinder.load(runtime, await loadFaceModels());
const image = await decodeImage(await readFile(portrait));
const { points } = (await choosePortraitFace(image, finder)).landmarks;
await finder.close();
const { imx, baked } = await bakeImx(image, { points }, await loadBakeTools(runtime));
const geometry = createFaceGeometry(baked.points, baked.canvas.widthPx);
const avatar = await openAvatar(imx, runtime);
await mkdir(folder, { recursive: true });

const rows: string[] = [];
async function write(kind: string, pose: Float32Array, frame?: I420Frame): Promise<void> {
  const name = `${String(rows.length).padStart(4, "0")}.jpg`;
  await writeFile(join(folder, name), await encodeJpeg(i420ToRgb(frame ?? (await avatar.render(pose)))));
  rows.push(JSON.stringify({ kind, aperture: apertureOf(geometry, pose), blink: pose[RIG_INPUT_INDEX.blinkL] }));
}

const rest = toParameterVector(imx.manifest.restPose);
const sum = (...poses: readonly Float32Array[]) =>
  rest.map((_, k) => poses.reduce((total, pose) => total + pose[k], 0));
await writeFile(join(folder, "portrait.png"), await encodePng(baked.canvas));
for (const move of MOVES) await write("photo", toParameterVector({}), toI420Frame(moved(baked.canvas, move)));
for (const [kind, pose] of Object.entries(STILLS)) {
  for (const turn of TURNS) await write(kind, sum(rest, toParameterVector(pose), toParameterVector(turn)));
}
const actor = new Actor({ seed: SEED, restPose: imx.manifest.restPose, gestures: imx.gestures, headMotion: 1 });
const mouth = madeUpSpeech(25 * Number(seconds));
for (const [tick, pose] of mouth.entries()) await write("speech", actor.pose(tick, pose, SPEECH_DB));
await writeFile(join(folder, "intent.jsonl"), `${rows.join("\n")}\n`);
await avatar.close();

/** A square frame moved in its plane. */
function moved(image: RgbImage, { rollDeg, across, down, zoom }: (typeof MOVES)[number]): RgbImage {
  const { widthPx, heightPx } = image;
  const outputToImage = squareCropToImage({
    centreX: (0.5 - across) * widthPx,
    centreY: (0.5 - down) * heightPx,
    sizePx: widthPx / zoom,
    angleRad: (-rollDeg * Math.PI) / 180,
    cropPx: widthPx,
  });
  return toRgbImage(warpAffine(image, outputToImage, { widthPx, heightPx }));
}

/** Visemes of 80 to 200 ms in random order, each passing smoothly into the next, as float32 [33] per frame. */
function madeUpSpeech(frames: number): Float32Array[] {
  const random = seeded(SEED);
  const track: Float32Array[] = [];
  let from = MOUTH_POSE_VECTORS[0];
  while (track.length < frames) {
    const to = MOUTH_POSE_VECTORS[Math.floor(random() * MOUTH_POSE_VECTORS.length)];
    const length = 2 + Math.floor(random() * 4);
    for (let step = 1; step <= length; step++) {
      const share = 0.5 - 0.5 * Math.cos((Math.PI * step) / length);
      track.push(from.map((value, k) => value + share * (to[k] - value)));
    }
    from = to;
  }
  return track.slice(0, frames);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Intended gap between the inner lip edges of a pose, mean of three places, in eye distances; 0 if they touch. */
function apertureOf({ mouth, pixelsPerMm, ...rest }: FaceGeometry, pose: Float32Array): number {
  const face = { mouth, pixelsPerMm, ...rest };
  const still = pose.slice();
  for (const name of HEAD) still[RIG_INPUT_INDEX[name]] = 0;
  const gaps = [-0.35, 0, 0.35].map((u) => {
    const upper = movedV(face, "head", u, mouth.innerUpper(u), still);
    const lower = movedV(face, "jaw", u, mouth.innerLower(u), still);
    return Math.max(0, lower - upper) * mouth.frame.unitPx;
  });
  return gaps.reduce((total, gap) => total + gap, 0) / gaps.length / (63 * pixelsPerMm);
}

function movedV(geometry: FaceGeometry, layer: LipLayer, u: number, v: number, pose: Float32Array): number {
  const { frame } = geometry.mouth;
  const [x, y] = [frame.toX(u, v), frame.toY(u, v)];
  const basis = new DisplacementBasis({ x, y, widthPx: 1, heightPx: 1 }, 1, 1);
  addLipDisplacements(basis, layer, geometry, 0, 0);
  let [dx, dy] = [0, 0];
  toRigInputs(pose).forEach((value, index) => {
    dx += value * basis.data[2 * index];
    dy += value * basis.data[2 * index + 1];
  });
  return frame.v(x + dx, y + dy);
}
