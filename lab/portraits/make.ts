// Makes the gallery: draws people, finds the faces of paintings, and writes the catalogue.
//   npx tsx lab/portraits/make.ts [id ...]
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { FaceFinder } from "../../src/face/portrait/face-finder.ts";
import { loadFaceModels } from "../../src/face/portrait/face-models.ts";
import { choosePortraitFace } from "../../src/face/portrait/portrait-face.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { createNodeRuntime } from "../../src/signal/inference/node-runtime.ts";
import { channels } from "./drawing/colour.ts";
import { drawFox } from "./drawing/fox.ts";
import { type DrawnPortrait, drawPerson } from "./drawing/portrait.ts";
import { drawRobot } from "./drawing/robot.ts";
import { type MeshPoints, meshPoints } from "./mesh-points.ts";
import { PAINTINGS, type Work } from "./paintings.ts";
import { PEOPLE } from "./people.ts";

/** One entry of gallery.json. */
interface CatalogueEntry {
  id: string;
  name: string;
  gender: string;
  age: number;
  kind: "person" | "animal" | "robot";
  tags: string[];
  /** Image beside the catalogue: a drawing of 768 × 768 px, or a painting of any size. */
  file: string;
  /** Mesh points beside the catalogue: 478 × [x, y, z] px. */
  points: string;
  /** Colours for the drawn inside of the mouth and the lids, 0..255 each; measured in the image if absent. */
  style: { tooth?: number[]; skin?: number[] };
  /** Preset voice. */
  voice: string;
  licence: "CC0-1.0" | "public domain";
  /** Of a painting. */
  work?: Work;
}

/** What the catalogue says of a drawn portrait before it is drawn. */
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

const inGallery = (file: string) => fileURLToPath(new URL(`../../models/gallery/${file}`, import.meta.url));

async function main(ids: string[]): Promise<void> {
  const isWanted = (id: string) => ids.length === 0 || ids.includes(id);
  const canonical = JSON.parse(
    await readFile(new URL("../../src/face/portrait/canonical-face.json", import.meta.url), "utf8"),
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
    if (isWanted(subject.id)) await writeDrawing(subject.id, drawn, canonical);
  }
  for (const painting of PAINTINGS) {
    const { work, ...subject } = painting;
    const file = `${subject.id}.jpg`;
    const points = `${subject.id}.points.json`;
    entries.push({ ...subject, kind: "person", file, points, style: {}, licence: "public domain", work });
  }
  await findFaces(PAINTINGS.map(({ id }) => id).filter(isWanted));
  await writeFile(inGallery("gallery.json"), `${JSON.stringify(entries, null, 2)}\n`);
}

async function writeDrawing(id: string, drawn: DrawnPortrait, canonical: number[][]): Promise<void> {
  await writePoints(id, meshPoints(drawn.geometry, canonical));
  // Written at once, so that a service that reads the gallery meanwhile never finds half an image.
  const png = await sharp(Buffer.from(drawn.svg))
    .removeAlpha()
    .png({ compressionLevel: 9, adaptiveFiltering: true })
    .toBuffer();
  await writeFile(inGallery(`${id}.png`), png);
  process.stdout.write(`${id}.png\n`);
}

/** Writes the points of the faces in these paintings. */
async function findFaces(ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const finder = await FaceFinder.load(createNodeRuntime(), await loadFaceModels());
  for (const id of ids) {
    const image = await decodeImage(await readFile(inGallery(`${id}.jpg`)));
    const { landmarks, confidence } = await choosePortraitFace(image, finder);
    const coordinates = Array.from(landmarks.points);
    await writePoints(
      id,
      Array.from({ length: coordinates.length / 3 }, (_, point): MeshPoints[number] => [
        coordinates[3 * point],
        coordinates[3 * point + 1],
        coordinates[3 * point + 2],
      ]),
    );
    process.stdout.write(`${id}.points.json (confidence ${confidence.toFixed(2)})\n`);
  }
  await finder.close();
}

async function writePoints(id: string, points: MeshPoints): Promise<void> {
  const rounded = points.map((point) => point.map((value) => Number(value.toFixed(2))));
  await writeFile(inGallery(`${id}.points.json`), `${JSON.stringify(rounded)}\n`);
}

await main(process.argv.slice(2));
