// The bundled portraits: what an agent without an image gets.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";

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
}

const read = async <Kind>(file: string) => JSON.parse(await readFile(join(GALLERY, file), "utf8")) as Kind;

t.test("every portrait has an image, exact marks, a voice and a licence", async (t) => {
  const entries = await read<Entry[]>("gallery.json");
  t.ok(entries.length >= 6);
  t.equal(new Set(entries.map(({ id }) => id)).size, entries.length, "ids are unique");
  for (const entry of entries) {
    t.match(entry, { licence: "CC0-1.0", voice: /^[MF][1-5]$/, kind: /^(person|animal|robot)$/ }, entry.id);
    t.ok(entry.tags.length >= 3, "can be chosen by words");
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
  for (const { id, kind, file, points: pointsFile } of await read<Entry[]>("gallery.json")) {
    if (kind === "robot") continue;
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
