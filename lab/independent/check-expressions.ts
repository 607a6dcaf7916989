// Judges expressions that render-expressions.ts has rendered, by the networks of face-judge.ts:
//
//   npx tsx lab/independent/check-expressions.ts OUT
//
// corners  of the mouth, up and outwards in `happy`, per cent of the eye distance
// lids     lower lids up in `happy`, likewise
// person   distance of the descriptors of `happy` and `neutral`; .6 is the usual limit for the same person
// after    what the expression network is surest of in each expression, and how sure
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXPRESSION_NAMES } from "../../shared/expressions.ts";
import { type JudgedFace, withFaceJudge } from "./face-judge.ts";

/** Landmarks, of 68. */
const CORNERS = [48, 54] as const;
const LOWER_LIDS = [40, 41, 46, 47];
const EYES = [
  [36, 37, 38, 39, 40, 41],
  [42, 43, 44, 45, 46, 47],
];

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: npx tsx lab/independent/check-expressions.ts OUT");
const pictures = (await readdir(folder)).filter((name) => name.endsWith(".neutral.png")).sort();
if (pictures.length === 0) throw new Error("no *.neutral.png here: render-expressions.ts makes them");

console.log("picture                  corners up, out  lids person  expressions");
await withFaceJudge(async ({ judge }) => {
  for (const file of pictures) {
    const name = file.slice(0, -".neutral.png".length);
    const read = async (expression: string) => readFile(join(folder, `${name}.${expression}.png`));
    const neutral = await judge(await read("neutral"));
    if (!neutral) {
      console.log(`${name.padEnd(24)} no face is found`);
      continue;
    }
    const faces = new Map<string, JudgedFace>();
    for (const expression of EXPRESSION_NAMES) {
      const face = await judge(await read(expression), neutral.box);
      if (face) faces.set(expression, face);
    }
    const happy = faces.get("happy") ?? neutral;
    console.log(
      [
        name.padEnd(24),
        `${percent(risen(neutral, happy, CORNERS))}, ${percent(widened(neutral, happy))}`.padStart(15),
        percent(risen(neutral, happy, LOWER_LIDS)).padStart(5),
        distance(neutral, happy).toFixed(2).padStart(6),
        "",
        ...[...faces].map(([expression, face]) => `${expression}: ${surest(face)}`),
      ].join(" "),
    );
  }
});

function eyeDistance({ landmarks }: JudgedFace): number {
  const [left, right] = EYES.map((eye) => [0, 1].map((axis) => mean(eye.map((point) => landmarks[point][axis]))));
  return Math.hypot(right[0] - left[0], right[1] - left[1]);
}

/** How far landmarks rise, in eye distances. */
function risen(neutral: JudgedFace, face: JudgedFace, points: readonly number[]): number {
  return mean(points.map((point) => neutral.landmarks[point][1] - face.landmarks[point][1])) / eyeDistance(neutral);
}

/** How far each corner of the mouth moves outwards, in eye distances. */
function widened(neutral: JudgedFace, face: JudgedFace): number {
  const width = ({ landmarks }: JudgedFace) => landmarks[CORNERS[1]][0] - landmarks[CORNERS[0]][0];
  return (width(face) - width(neutral)) / 2 / eyeDistance(neutral);
}

function distance(a: JudgedFace, b: JudgedFace): number {
  return Math.hypot(...a.descriptor.map((value, index) => value - b.descriptor[index]));
}

function surest({ expressions }: JudgedFace): string {
  const [name, share] = Object.entries(expressions).reduce((best, each) => (each[1] > best[1] ? each : best));
  return `${name} ${share.toFixed(2)}`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
