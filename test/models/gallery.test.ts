// The bundled portraits: drawn people and paintings.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../src/face/portrait/portrait-face.ts";
import { decodeImage } from "../../src/signal/image/decode-image.ts";
import { finder } from "../helpers/faces/face-of.ts";

const GALLERY = join(import.meta.dirname, "..", "..", "models", "gallery");

interface Entry {
  id: string;
  kind: string;
  gender: string;
  file: string;
  points: string;
  voice: string;
  licence: string;
  tags: string[];
  style: { tooth: number[]; skin: number[] };
  work?: { title: string; painter: string; year: string; museum: string };
}

const LEAST_PUPIL_DISTANCE_PX = 36;
/** In parts of the distance between the pupils. */
const MOST_POINT_DISTANCE = 0.01;

const read = async <Kind>(file: string) => JSON.parse(await readFile(join(GALLERY, file), "utf8")) as Kind;

t.test("every portrait can be chosen and speak", async (t) => {
  const entries = await read<Entry[]>("gallery.json");
  t.equal(new Set(entries.map(({ id }) => id)).size, entries.length, "ids are unique");
  for (const entry of entries) {
    t.match(entry, { voice: /^[MF][1-5]$/, kind: /^(person|animal|robot)$/ }, entry.id);
    t.ok(entry.tags.length >= 3, "can be chosen by words");
  }
});

t.test("a painting has its records, and the finder is sure of its face where the stored points are", async (t) => {
  const entries = await read<Entry[]>("gallery.json");
  const paintings = entries.filter(({ work }) => work);
  t.ok(paintings.length >= 4);
  const card = await readFile(join(GALLERY, "README.md"), "utf8");
  for (const { id, file, points: pointsFile, licence, work } of paintings) {
    t.equal(licence, "public domain");
    for (const record of Object.values(work ?? {})) t.ok(card.includes(record), `${id}: the card says ${record}`);
    const died = Number(/–(\d{4})\)/.exec(work?.painter ?? "")?.[1]);
    t.ok(died < 1950, `${id}: the painter died more than seventy years ago`);
    const image = await decodeImage(await readFile(join(GALLERY, file)));
    const face = await choosePortraitFace(image, finder);
    t.ok(face.confidence >= MIN_AUTOMATIC_CONFIDENCE, `${id}: confidence ${face.confidence.toFixed(2)}`);
    t.ok(face.pupilDistancePx >= LEAST_PUPIL_DISTANCE_PX, `${id}: pupils ${face.pupilDistancePx.toFixed(0)} px apart`);
    const stored = await read<[number, number, number][]>(pointsFile);
    const distances = stored.map(([x, y], point) => {
      const [foundX, foundY] = face.landmarks.points.subarray(3 * point);
      return Math.hypot(x - foundX, y - foundY) / face.pupilDistancePx;
    });
    t.ok(Math.max(...distances) < MOST_POINT_DISTANCE, `${id}: points as stored`);
  }
});

t.test("every drawing has exact marks and a licence", async (t) => {
  const entries = (await read<Entry[]>("gallery.json")).filter(({ work }) => !work);
  t.ok(entries.length >= 6);
  for (const entry of entries) {
    t.equal(entry.licence, "CC0-1.0", entry.id);
    for (const colour of [entry.style.tooth, entry.style.skin]) t.equal(colour.length, 3);
    const { width, height, channels } = await sharp(join(GALLERY, entry.file)).metadata();
    t.same([width, height, channels], [768, 768, 3], `${entry.id}: size`);
    const points = await read<[number, number, number][]>(entry.points);
    t.equal(points.length, 478);
    t.ok(
      points.every((point) => point.length === 3 && point.every(Number.isFinite) && point[0] > 96 && point[0] < 672),
      `${entry.id}: all marks lie inside the rendered region`,
    );
    const [x, y] = [(index: number) => points[index]?.[0] as number, (index: number) => points[index]?.[1] as number];
    t.ok(x(33) < x(133) && x(133) < x(362) && x(362) < x(263), `${entry.id}: eyes from left to right`);
    const eyeWidth = x(133) - x(33);
    t.ok(y(159) - y(52) >= 0.35 * eyeWidth, `${entry.id}: skin between brow and eye for the lid`);
    t.ok(y(13) - y(0) > 3 && y(17) - y(14) > 3, `${entry.id}: both lips show`);
    t.ok(Math.abs(y(13) - y(14)) < 0.5, `${entry.id}: the mouth is closed`);
    const height468 = y(152) - y(10);
    t.ok(height468 > 0.42 * 768 && height468 < 0.5 * 768, `${entry.id}: the face fills a good part of the image`);
    t.ok(Math.abs(x(468) - (x(33) + x(133)) / 2) < 4, `${entry.id}: looks ahead`);
  }
});

t.test("the marks match the drawing: the seam is darker than both lips, the pupil darker than the white", async (t) => {
  for (const { id, kind, file, points: pointsFile, work } of await read<Entry[]>("gallery.json")) {
    if (kind === "robot" || work) continue;
    const { data, info } = await sharp(join(GALLERY, file)).greyscale().raw().toBuffer({ resolveWithObject: true });
    const points = await read<[number, number, number][]>(pointsFile);
    const luma = (x: number, y: number) => data[Math.round(y) * info.width + Math.round(x)] as number;
    const at = (index: number) => points[index] as [number, number, number];
    for (const index of [82, 13, 312]) {
      const [x, seamY] = at(index);
      const seam = Math.min(...[-1, 0, 1].map((offset) => luma(x, seamY + offset)));
      t.ok(seam < luma(x, seamY - 6) && seam < luma(x, seamY + 6), `${id}: seam at ${index}`);
    }
    for (const [iris, corner] of [
      [468, 33],
      [473, 263],
    ] as const) {
      const [irisX, irisY] = at(iris);
      const [cornerX, cornerY] = at(corner);
      const white = luma(irisX + (cornerX - irisX) * 0.68, irisY + (cornerY - irisY) * 0.68);
      t.ok(luma(irisX, irisY) < 60 && white > 110, `${id}: eye at ${iris}`);
    }
  }
});
