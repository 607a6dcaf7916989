// How often people and drawings are told apart: `npx tsx lab/training/subject/measure.ts`. Prints a line an image, then
// the table of README.md.
import { readdir, readFile } from "node:fs/promises";
import sharp from "sharp";
import { drawnProbability } from "../../../src/face/portrait/drawn-evidence.ts";
import { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../../src/face/portrait/face-models.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";

const ROOT = new URL("../../../", import.meta.url);
const SETS = [
  { kind: "person", folder: "models/portraits/", only: /\.png$/ },
  { kind: "person", folder: "test/fixtures/portraits/", only: /^astronaut\.png$/ },
  { kind: "drawn", folder: "models/gallery/", only: /\.png$/ },
  { kind: "drawn", folder: "test/fixtures/portraits/", only: /^cartoon\.png$/ },
] as const;

/** What happens to images on their way here. */
const VARIANTS: Readonly<Record<string, (file: Buffer) => Promise<Buffer>>> = {
  "as it is": async (file) => file,
  "JPEG, quality 60": (bytes) => sharp(bytes).jpeg({ quality: 60 }).toBuffer(),
  "320 px wide, JPEG": (bytes) => sharp(bytes).resize(320).jpeg({ quality: 80 }).toBuffer(),
  "half as bright": (bytes) => sharp(bytes).linear(0.5, 0).png().toBuffer(),
  "slightly blurred": (bytes) => sharp(bytes).blur(1.2).png().toBuffer(),
};

const finder = await FaceFinder.load(createNodeRuntime(), await loadFaceModels());
const counts = new Map<string, { right: number; wrong: number }>();
for (const { kind, folder, only } of SETS) {
  for (const name of (await readdir(new URL(folder, ROOT))).filter((file) => only.test(file))) {
    const bytes = await readFile(new URL(folder + name, ROOT));
    for (const [variant, change] of Object.entries(VARIANTS)) {
      const image = await decodeImage(await change(bytes));
      const [candidate] = await finder.find(image);
      if (!candidate) continue;
      const probability = drawnProbability(image, candidate);
      const isRight = probability > 0.5 === (kind === "drawn");
      const key = `${kind}, ${variant}`;
      const count = counts.get(key) ?? { right: 0, wrong: 0 };
      counts.set(key, count);
      count[isRight ? "right" : "wrong"]++;
      console.log(`${isRight ? "right" : "WRONG"}  ${kind.padEnd(6)} ${probability.toFixed(3)}  ${name}, ${variant}`);
    }
  }
}
for (const [key, { right, wrong }] of counts) console.log(`${key}: ${right} of ${right + wrong}`);
await finder.close();
