// A study of what viewers read in our expressions, and its score:
//
//   npx tsx lab/independent/render-expressions.ts FOLDER FRAMES 1 --for-readers
//   npx tsx lab/independent/expression-sheets.ts FRAMES OUT [SEED]
//   npx tsx lab/independent/expression-sheets.ts --score OUT/key.json ANSWERS…
//
// OUT/sheet-01.png and on show nine numbered faces each, all portraits and poses in random order; key.json says which
// is which, and is not for the readers. A reader chooses one of the eight names for each face, and writes lines of
// "number name". The score is the share of right answers of each pose, and what the wrong ones were.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { z } from "zod";
import { isExpressionName } from "../../shared/expressions.ts";
import { seededRandom } from "../portraits/drawing/random.ts";

const TILE_PX = 360;
const COLUMNS = 3;
/** Width of a tile around the face, in widths of the face. */
const MARGIN = 1.7;

const keySchema = z.array(z.object({ portrait: z.string(), pose: z.string() }));
const pointsSchema = z.array(z.tuple([z.number(), z.number()]));
type Key = z.infer<typeof keySchema>;

const { values, positionals } = parseArgs({ options: { score: { type: "string" } }, allowPositionals: true });
const [frames, out, seed = "1"] = positionals;
if (values.score !== undefined) await score(values.score, positionals);
else if (frames && out) await writeSheets(frames, out, Number(seed));
else throw new Error("usage: npx tsx lab/independent/expression-sheets.ts FRAMES OUT [SEED]");

async function writeSheets(folder: string, target: string, seedNumber: number): Promise<void> {
  const random = seededRandom(seedNumber);
  const key: Key = (await readdir(folder))
    .filter((name) => name.endsWith(".png"))
    .map((name) => name.split("."))
    .map(([portrait = "", pose = ""]) => ({ portrait, pose, order: random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ portrait, pose }) => ({ portrait, pose }));
  await mkdir(target, { recursive: true });
  await writeFile(join(target, "key.json"), JSON.stringify(key));
  const perSheet = COLUMNS * COLUMNS;
  for (let first = 0; first < key.length; first += perSheet) {
    const tiles = await Promise.all(
      key.slice(first, first + perSheet).map(async ({ portrait, pose }, at) => ({
        input: await tile(join(folder, portrait), pose, first + at + 1),
        left: (at % COLUMNS) * TILE_PX,
        top: Math.floor(at / COLUMNS) * TILE_PX,
      })),
    );
    const sidePx = COLUMNS * TILE_PX;
    const name = `sheet-${String(first / perSheet + 1).padStart(2, "0")}.png`;
    await sharp({ create: { width: sidePx, height: sidePx, channels: 3, background: "white" } })
      .composite(tiles)
      .png()
      .toFile(join(target, name));
  }
}

/** A frame around its face, with its number in the corner. */
async function tile(path: string, pose: string, number: number): Promise<Buffer> {
  const points = pointsSchema.parse(JSON.parse(await readFile(`${path}.json`, "utf8")));
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const frame = sharp(`${path}.${pose}.png`);
  const { width, height } = await frame.metadata();
  const wanted = MARGIN * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const sidePx = Math.floor(Math.min(wanted, width, height));
  const place = (middle: number, size: number) => Math.round(Math.min(Math.max(middle - sidePx / 2, 0), size - sidePx));
  const left = place((Math.max(...xs) + Math.min(...xs)) / 2, width);
  const top = place((Math.max(...ys) + Math.min(...ys)) / 2, height);
  const label = Buffer.from(
    `<svg width="60" height="30"><rect width="60" height="30" fill="white"/>` +
      `<text x="6" y="23" font-family="sans-serif" font-size="22">${number}</text></svg>`,
  );
  return frame
    .extract({ left, top, width: sidePx, height: sidePx })
    .resize(TILE_PX, TILE_PX)
    .composite([{ input: label, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

async function score(keyPath: string, answerPaths: readonly string[]): Promise<void> {
  const key = keySchema.parse(JSON.parse(await readFile(keyPath, "utf8")));
  const chosen = new Map<string, Map<string, number>>();
  for (const path of answerPaths) {
    for (const line of (await readFile(path, "utf8")).split("\n").filter((text) => text.trim() !== "")) {
      const [number = "", name = ""] = line.trim().split(/[\s:,]+/);
      const face = key[Number(number) - 1];
      if (!face || !isExpressionName(name)) throw new Error(`${basename(path)}: "${line}" is no answer`);
      const counts = chosen.get(face.pose) ?? new Map<string, number>();
      counts.set(name, (counts.get(name) ?? 0) + 1);
      chosen.set(face.pose, counts);
    }
  }
  for (const [pose, counts] of [...chosen].sort()) {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const right = counts.get(pose.replace("earlier-", "")) ?? 0;
    const names = [...counts].sort(([, left], [, other]) => other - left).map(([name, count]) => `${name} ${count}`);
    console.log(`${pose.padEnd(18)} ${((100 * right) / total).toFixed(0).padStart(3)} %   ${names.join(", ")}`);
  }
}
