// The edits of a picture: turned, straightened, cropped.
import { cropRgbImage, type PixelBox, type RgbImage } from "../../../../src/signal/image/raster.ts";
import { straightenImage, turnImage } from "../../../../src/signal/image/turn-image.ts";
import type { PictureEdit } from "./bake-messages.ts";

/** Of a face's longer side, from the middle of its box: enough for hair, neck and shoulders. */
const BESIDE = 2.4;
const ABOVE = 2.2;
const BELOW = 2.8;
/** What a crop never cuts off. */
const KEPT_BESIDE = 0.8;
const KEPT_ABOVE = 1.1;
const KEPT_BELOW = 0.8;

/** A crop is clamped to the picture. */
export function editPicture(picture: RgbImage, { turn = 0, straightenDeg = 0, crop }: PictureEdit): RgbImage {
  const level = straightenImage(turnImage(picture, turn / 90), straightenDeg);
  if (!crop) return level;
  const left = clamp(Math.round(crop.x), 0, level.widthPx - 1);
  const top = clamp(Math.round(crop.y), 0, level.heightPx - 1);
  return cropRgbImage(level, {
    x: left,
    y: top,
    widthPx: clamp(Math.round(crop.widthPx), 1, level.widthPx - left),
    heightPx: clamp(Math.round(crop.heightPx), 1, level.heightPx - top),
  });
}

/** The part of a picture around a face, with as little as possible of the boxes of other faces. */
export function surroundingsOf(
  face: PixelBox,
  others: readonly PixelBox[],
  size: { widthPx: number; heightPx: number },
): PixelBox {
  const unitPx = Math.max(face.widthPx, face.heightPx);
  const middleX = face.x + face.widthPx / 2;
  const middleY = face.y + face.heightPx / 2;
  const kept = edgesOf(middleX, middleY, unitPx, KEPT_BESIDE, KEPT_ABOVE, KEPT_BELOW, size);
  let edges = edgesOf(middleX, middleY, unitPx, BESIDE, ABOVE, BELOW, size);
  for (const other of others) {
    const isInside =
      other.x < edges.right &&
      other.x + other.widthPx > edges.left &&
      other.y < edges.bottom &&
      other.y + other.heightPx > edges.top;
    if (!isInside) continue;
    const cuts = [
      { ...edges, left: Math.min(kept.left, other.x + other.widthPx) },
      { ...edges, right: Math.max(kept.right, other.x) },
      { ...edges, top: Math.min(kept.top, other.y + other.heightPx) },
      { ...edges, bottom: Math.max(kept.bottom, other.y) },
    ];
    edges = cuts.reduce((best, cut) => (worth(cut, other) > worth(best, other) ? cut : best));
  }
  return {
    x: Math.round(edges.left),
    y: Math.round(edges.top),
    widthPx: Math.round(edges.right - edges.left),
    heightPx: Math.round(edges.bottom - edges.top),
  };
}

interface Edges {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

function edgesOf(
  x: number,
  y: number,
  unitPx: number,
  beside: number,
  above: number,
  below: number,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
): Edges {
  return {
    left: Math.max(0, x - beside * unitPx),
    right: Math.min(widthPx, x + beside * unitPx),
    top: Math.max(0, y - above * unitPx),
    bottom: Math.min(heightPx, y + below * unitPx),
  };
}

/** The area of a cut, and much less for what it still shows of the other face. */
function worth({ left, right, top, bottom }: Edges, other: PixelBox): number {
  const across = Math.max(0, Math.min(right, other.x + other.widthPx) - Math.max(left, other.x));
  const down = Math.max(0, Math.min(bottom, other.y + other.heightPx) - Math.max(top, other.y));
  return (right - left) * (bottom - top) - 1e3 * across * down;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
