// Draws the bundled gallery: one PNG and one file of mesh points for each portrait, and the catalogue.
//   npx tsx models/gallery/draw.ts [id ...]
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { channels } from "./drawing/colour.ts";
import { drawFox } from "./drawing/fox.ts";
import { type DrawnPortrait, drawPerson } from "./drawing/portrait.ts";
import { drawRobot } from "./drawing/robot.ts";
import { meshPoints } from "./mesh-points.ts";
import { PEOPLE } from "./people.ts";

/** One entry of gallery.json. */
interface CatalogueEntry {
  id: string;
  name: string;
  gender: string;
  age: number;
  kind: "person" | "animal" | "robot";
  tags: string[];
  /** Image beside the catalogue, 768 × 768 PNG. */
  file: string;
  /** Mesh points beside the catalogue: 478 × [x, y, z] px. */
  points: string;
  /** Colours for the drawn inside of the mouth and the lids, 0..255 each. */
  style: { tooth: number[]; skin: number[] };
  /** Preset voice. */
  voice: string;
  licence: "CC0-1.0";
}

/** What the catalogue says of a portrait before it is drawn. */
type Subject = Pick<CatalogueEntry, "id" | "name" | "gender" | "age" | "kind" | "tags" | "voice"> & {
  draw(): DrawnPortrait;
};

const SUBJECTS: readonly Subject[] = [
  ...PEOPLE.map((person): Subject => {
    const { id, name, gender, age, tags, voice } = person;
    return { id, name, gender, age, kind: "person", tags, voice, draw: () => drawPerson(person) };
  }),
  {
    id: "rusty",
    name: "Rusty",
    gender: "neutral",
    age: 5,
    kind: "animal",
    tags: ["fox", "animal", "mascot", "playful", "children", "story"],
    voice: "M5",
    draw: drawFox,
  },
  {
    id: "bolt",
    name: "Bolt",
    gender: "neutral",
    age: 1,
    kind: "robot",
    tags: ["robot", "machine", "mascot", "tech", "helper", "science"],
    voice: "M2",
    draw: drawRobot,
  },
];

const inGallery = (file: string) => fileURLToPath(new URL(file, import.meta.url));

async function main(ids: string[]): Promise<void> {
  const canonical = JSON.parse(
    await readFile(new URL("../../src/face/canonical-face.json", import.meta.url), "utf8"),
  ) as number[][];
  const entries: CatalogueEntry[] = [];
  for (const { draw, ...subject } of SUBJECTS) {
    const drawn = draw();
    entries.push({
      ...subject,
      file: `${subject.id}.png`,
      points: `${subject.id}.points.json`,
      style: { tooth: [246, 240, 228], skin: channels(drawn.skin) },
      licence: "CC0-1.0",
    });
    if (ids.length === 0 || ids.includes(subject.id)) await write(subject.id, drawn, canonical);
  }
  await writeFile(inGallery("gallery.json"), `${JSON.stringify(entries, null, 2)}\n`);
}

async function write(id: string, drawn: DrawnPortrait, canonical: number[][]): Promise<void> {
  const rounded = meshPoints(drawn.geometry, canonical).map((point) => point.map((value) => Number(value.toFixed(2))));
  await writeFile(inGallery(`${id}.points.json`), `${JSON.stringify(rounded)}\n`);
  // Written at once, so that a service that reads the gallery meanwhile never finds half an image.
  const png = await sharp(Buffer.from(drawn.svg))
    .removeAlpha()
    .png({ compressionLevel: 9, adaptiveFiltering: true })
    .toBuffer();
  await writeFile(inGallery(`${id}.png`), png);
  process.stdout.write(`${id}.png\n`);
}

await main(process.argv.slice(2));
