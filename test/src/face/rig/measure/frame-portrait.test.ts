// Framing: the canvas shows the photo as close as it takes, and beyond its edges never a stretched or second person.
import { readFile } from "node:fs/promises";
import t from "tap";
import { type FacePoints, faceOval, mapPoints } from "../../../../../src/face/portrait/face-points.ts";
import { type FramedPortrait, framePortrait } from "../../../../../src/face/rig/measure/frame-portrait.ts";
import { createPlane, createRgbImage, cropRgbImage, type RgbImage } from "../../../../../src/signal/image/raster.ts";

const SIDE_PX = 768;
const SQUARE = { widthPx: 512, heightPx: 512 };
const WIDE = { widthPx: 1280, heightPx: 512 };
const WALL = 128;
const HEAD = 255;
const isHead = (value: number) => value > (WALL + HEAD) / 2;

/** A photo of a white head, as wide as the image allows, on a grey wall, with a person mask. */
async function drawnPhoto() {
  const json: number[][] = JSON.parse(await readFile("models/gallery/maya.points.json", "utf8"));
  const points: FacePoints = Float32Array.from(json.flat());
  const { centre, widthPx } = faceOval(points);
  const image = createRgbImage(SIDE_PX, SIDE_PX);
  const person = createPlane(SIDE_PX, SIDE_PX);
  for (let at = 0; at < SIDE_PX * SIDE_PX; at++) {
    const isPerson = Math.abs((at % SIDE_PX) - centre.x) < 0.8 * widthPx;
    image.data.fill(isPerson ? HEAD : WALL, 3 * at, 3 * at + 3);
    person.data[at] = isPerson ? 1 : 0;
  }
  return { image, points, person };
}

/** The photo cut to a square that the face nearly fills. */
function closeUp({ image, points }: { image: RgbImage; points: FacePoints }) {
  const { centre, heightPx } = faceOval(points);
  const sidePx = Math.round(1.25 * heightPx);
  const box = {
    x: Math.round(centre.x - sidePx / 2),
    y: Math.round(centre.y - sidePx / 2),
    widthPx: sidePx,
    heightPx: sidePx,
  };
  return {
    image: cropRgbImage(image, box),
    points: mapPoints(points, { scaleX: 1, scaleY: 1, shiftX: box.x, shiftY: box.y }),
  };
}

function rowOf({ canvas }: FramedPortrait): number[] {
  const from = 3 * canvas.widthPx * Math.round(canvas.heightPx / 2);
  return Array.from({ length: canvas.widthPx }, (_, x) => canvas.data[from + 3 * x]);
}

t.test("a background that ends at an edge is continued, and no second head appears", async (t) => {
  const { image, points, person } = await drawnPhoto();
  const framed = framePortrait(image, points, { canvas: WIDE, regionPx: 384, person });
  t.equal(framed.backdrop, "continued");
  const row = rowOf(framed);
  t.ok(isHead(row[framed.region.x + framed.region.widthPx / 2]), "the head is in the region");
  const begins = row.flatMap((value, x) => (x > 0 && isHead(value) && !isHead(row[x - 1]) ? [x] : []));
  t.equal(begins.length, 1, `one head across the canvas, begun at ${begins}`);
  const { x, widthPx } = framed.photo;
  const outside = row.filter((_, at) => at < x || at >= x + widthPx);
  t.ok(outside.length > 300 && outside.every((value) => Math.abs(value - WALL) < 3), "wall beside the photo");
});

t.test("a person who reaches an edge is not continued: a dark blurred backdrop surrounds the photo", async (t) => {
  const { image, points } = closeUp(await drawnPhoto());
  const person = createPlane(image.widthPx, image.heightPx);
  person.data.fill(1);
  for (const framing of [
    { canvas: WIDE, regionPx: 384, person },
    { canvas: WIDE, regionPx: 384 },
  ]) {
    const framed = framePortrait(image, points, framing);
    t.equal(framed.backdrop, "blurred");
    const { x, widthPx } = framed.photo;
    const outside = rowOf(framed).filter((_, at) => at < x || at >= x + widthPx);
    t.ok(outside.length > 300 && outside.every((value) => value <= 0.51 * HEAD), "nothing as light as the person");
  }
});

t.test("a close-up fills the canvas with what it shows, and its region grows with the face", async (t) => {
  const drawn = await drawnPhoto();
  const { image, points } = closeUp(drawn);
  const framed = framePortrait(image, points, { canvas: SQUARE, regionPx: 384 });
  t.match(framed, { backdrop: "none", photo: { x: 0, y: 0, ...SQUARE } });
  const oval = faceOval(framed.points);
  t.ok(Math.abs(oval.heightPx - 512 / 1.25) < 3, "the whole portrait is shown");
  t.match(framed.region, { x: 0, y: 0, ...SQUARE }, "the face needs all of it");

  const usual = framePortrait(drawn.image, drawn.points, { canvas: SQUARE, regionPx: 384 });
  t.equal(usual.region.widthPx, 384, "a face with room around it keeps the usual region");
  const { x, y, widthPx } = usual.region;
  const usualOval = faceOval(usual.points);
  t.ok(usualOval.centre.x > x && usualOval.centre.x < x + widthPx && usualOval.bottomPx < y + widthPx);
});
