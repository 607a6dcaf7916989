import { readFile } from "node:fs/promises";
import sharp from "sharp";
import t from "tap";
import { drawnProbability } from "../../../../src/face/portrait/drawn-evidence.ts";
import { decodeImage } from "../../../../src/signal/image/decode-image.ts";
import { finder } from "../../../helpers/faces/face-of.ts";

t.teardown(() => finder.close());
const ROOT = new URL("../../../../", import.meta.url);

/** What images go through before they arrive. */
const CHANGES: Readonly<Record<string, (file: Buffer) => Promise<Buffer>>> = {
  "as it is": async (file) => file,
  "small and compressed": (bytes) => sharp(bytes).resize(320).jpeg({ quality: 70 }).toBuffer(),
  dark: (bytes) => sharp(bytes).linear(0.5, 0).png().toBuffer(),
};

async function probabilities(path: string): Promise<[string, number][]> {
  const bytes = await readFile(new URL(path, ROOT));
  const found: [string, number][] = [];
  for (const [name, change] of Object.entries(CHANGES)) {
    const image = await decodeImage(await change(bytes));
    const [candidate] = await finder.find(image);
    found.push([name, drawnProbability(image, candidate)]);
  }
  return found;
}

for (const path of [
  "test/fixtures/portraits/astronaut.png",
  "models/portraits/kofi.png",
  "models/portraits/zuri.png",
]) {
  t.test(`${path} is classified as a photograph`, async (t) => {
    for (const [name, value] of await probabilities(path)) t.ok(value < 0.35, `${name}: ${value.toFixed(3)}`);
  });
}

for (const path of [
  "models/gallery/maya.png",
  "models/gallery/kwame.png",
  "models/gallery/rusty.png",
  "test/fixtures/portraits/cartoon.png",
]) {
  t.test(`${path} is classified as drawn`, async (t) => {
    for (const [name, value] of await probabilities(path)) t.ok(value > 0.65, `${name}: ${value.toFixed(3)}`);
  });
}
