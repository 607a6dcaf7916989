// Does the face of a calm photograph move in `happy` as the same person does in another photograph?
//
//   npx tsx lab/independent/check-smile.ts FRAMES CALM.jpg SMILING.jpg [CALM.jpg SMILING.jpg …]
//
// FRAMES is what render-expressions.ts made of CALM.jpg. Both motions are those of the 51 landmarks inside the face,
// after the second face is laid over the first one by its eyes and the bridge of its nose, in eye distances. Printed:
// the cosine of the two, 1 for the same direction; for the mouth alone; and their sizes.
import { readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import sharp from "sharp";
import { type JudgedFace, withFaceJudge } from "./face-judge.ts";

type Point = readonly [x: number, y: number];

/** Landmarks, of 68: those inside the face, the mouth, and those that a smile moves least. */
const INSIDE = { from: 17, to: 68 };
const MOUTH = { from: 48, to: 68 };
const STILL = [27, 28, 36, 39, 42, 45];

const [frames, ...photographs] = process.argv.slice(2);
if (!frames || photographs.length === 0 || photographs.length % 2 === 1) {
  throw new Error("usage: npx tsx lab/independent/check-smile.ts FRAMES CALM.jpg SMILING.jpg [CALM.jpg SMILING.jpg …]");
}
await withFaceJudge(async ({ judge }) => {
  const see = async (path: string, like?: JudgedFace) => {
    const face = await judge(
      await sharp(await readFile(path))
        .png()
        .toBuffer(),
      like?.box,
    );
    if (!face) throw new Error(`${path}: no face is found`);
    return face;
  };
  for (let i = 0; i < photographs.length; i += 2) {
    const [calm, smiling] = photographs.slice(i, i + 2);
    const name = basename(calm, extname(calm));
    const rest = await see(join(frames, `${name}.neutral.png`));
    const ours = motion(rest, await see(join(frames, `${name}.happy.png`), rest));
    const real = motion(await see(calm), await see(smiling));
    const inside = cosine(part(ours, INSIDE), part(real, INSIDE));
    const mouth = cosine(part(ours, MOUTH), part(real, MOUTH));
    const sizes = [ours, real].map((moved) => Math.hypot(...part(moved, MOUTH)).toFixed(2));
    console.log(
      `${name.padEnd(20)} face ${inside.toFixed(2)}  mouth ${mouth.toFixed(2)}  size of the mouth's motion ${sizes[0]}, in the photographs ${sizes[1]}`,
    );
  }
});

/** How each landmark moves from one face to the other: 68 points, in eye distances. */
function motion(from: JudgedFace, to: JudgedFace): Point[] {
  const level = (face: JudgedFace) => laidOver(face.landmarks, face.landmarks[36], face.landmarks[45]);
  const [before, after] = [level(from), level(to)];
  const still = (points: readonly Point[], axis: 0 | 1) =>
    STILL.reduce((sum, point) => sum + points[point][axis], 0) / STILL.length;
  const shift = [0, 1].map((axis) => still(after, axis as 0 | 1) - still(before, axis as 0 | 1));
  return before.map(([x, y], point) => [after[point][0] - x - shift[0], after[point][1] - y - shift[1]]);
}

/** The points with both outer corners of the eyes on a level line, one unit apart. */
function laidOver(points: readonly Point[], right: Point, left: Point): Point[] {
  const [dx, dy] = [left[0] - right[0], left[1] - right[1]];
  const squared = dx * dx + dy * dy;
  return points.map(([x, y]) => {
    const [px, py] = [x - right[0], y - right[1]];
    return [(px * dx + py * dy) / squared, (py * dx - px * dy) / squared];
  });
}

function part(moved: readonly Point[], { from, to }: { from: number; to: number }): number[] {
  return moved.slice(from, to).flat();
}

function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0) / (Math.hypot(...a) * Math.hypot(...b));
}
