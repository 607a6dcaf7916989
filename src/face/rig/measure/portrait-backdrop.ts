// What fills a canvas beyond the edges of its photo: the photo's background if that ends there, else the photo itself,
// blurred and darkened. No hair, skin or clothes are ever continued.
import { cover } from "../../../signal/image/cover.ts";
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type PixelBox, type Plane, type RgbImage, toRgbImage } from "../../../signal/image/raster.ts";
import { resize } from "../../../signal/image/resize.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";

/** Blur of a continued background, px. */
const CONTINUED_SIGMA_PX = 14;
/** Rim of the photo that fades into a continued background, and into a backdrop, px. */
const CONTINUED_FADE_PX = 20;
const BACKDROP_FADE_PX = 10;
/** A backdrop is the photo itself, enlarged, blurred by this share of the canvas's longer side, and darkened. */
const BACKDROP_BLUR_SHARE = 0.05;
const BACKDROP_LIGHT = 0.5;
/** Its blur needs no more pixels than this share. */
const BACKDROP_SCALE = 1 / 8;
/** A line along an edge is background if no more than this share of its pixels may be a person. */
const MOST_PERSON_SHARE = 0.005;
const MAY_BE_PERSON = 0.2;
/** Depth of background along an edge from which it can be continued, and the most that is used, px. */
const LEAST_STRIP_PX = 24;
const MOST_STRIP_PX = 160;

type Size = Pick<PixelBox, "widthPx" | "heightPx">;

/** Depth of the background along each edge of a photo, px; 0 where a person touches it. */
interface Strips {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** What lies beyond the edges of a photo: nothing, its own background continued, or the photo enlarged, blurred and
 *  darkened. */
export type Backdrop = "none" | "continued" | "blurred";

/** A canvas with `image` at `place`, which has its size. `person`: probability at each pixel of the image, 0..1;
 *  without it nothing is taken for background. */
export function fillBackdrop(
  image: RgbImage,
  place: PixelBox,
  size: Size,
  person: Plane | undefined,
): { canvas: RgbImage; backdrop: Backdrop } {
  const gaps: Strips = {
    left: place.x,
    right: size.widthPx - place.x - place.widthPx,
    top: place.y,
    bottom: size.heightPx - place.y - place.heightPx,
  };
  const strips = person && backgroundStrips(person);
  const sides = (Object.keys(gaps) as (keyof Strips)[]).filter((side) => gaps[side] > 0);
  const isContinued = strips !== undefined && sides.every((side) => strips[side] >= LEAST_STRIP_PX);
  const behind = isContinued ? continued(image, place, size, strips) : blurred(image, size);
  const fadePx = isContinued ? CONTINUED_FADE_PX : BACKDROP_FADE_PX;
  for (let y = 0; y < place.heightPx; y++) {
    for (let x = 0; x < place.widthPx; x++) {
      // Distance from the nearest edge that has a gap beyond it.
      const depth = Math.min(
        gaps.left > 0 ? x : Number.POSITIVE_INFINITY,
        gaps.right > 0 ? place.widthPx - 1 - x : Number.POSITIVE_INFINITY,
        gaps.top > 0 ? y : Number.POSITIVE_INFINITY,
        gaps.bottom > 0 ? place.heightPx - 1 - y : Number.POSITIVE_INFINITY,
      );
      const own = smoothstep((depth + 0.5) / fadePx);
      const from = 3 * (y * place.widthPx + x);
      const to = 3 * ((y + place.y) * size.widthPx + x + place.x);
      for (let i = 0; i < 3; i++) behind.data[to + i] += own * (image.data[from + i] - behind.data[to + i]);
    }
  }
  return { canvas: toRgbImage(behind), backdrop: isContinued ? "continued" : "blurred" };
}

/** The photo's strips along its edges, mirrored repeatedly and blurred. */
function continued(image: RgbImage, place: PixelBox, size: Size, strips: Strips): Plane {
  const carried = createPlane(size.widthPx, size.heightPx, 3);
  for (let y = 0; y < size.heightPx; y++) {
    const fromY = mirrored(y - place.y, place.heightPx, strips.top, strips.bottom);
    for (let x = 0; x < size.widthPx; x++) {
      const fromX = mirrored(x - place.x, place.widthPx, strips.left, strips.right);
      const from = 3 * (fromY * place.widthPx + fromX);
      carried.data.set(image.data.subarray(from, from + 3), 3 * (y * size.widthPx + x));
    }
  }
  return gaussianBlur(carried, CONTINUED_SIGMA_PX);
}

/** The photo as a backdrop, as video players show it beside an image of another shape. */
function blurred(image: RgbImage, size: Size): Plane {
  const small = {
    widthPx: Math.max(2, Math.round(size.widthPx * BACKDROP_SCALE)),
    heightPx: Math.max(2, Math.round(size.heightPx * BACKDROP_SCALE)),
  };
  const dark = gaussianBlur(cover(image, small), BACKDROP_BLUR_SHARE * Math.max(small.widthPx, small.heightPx));
  for (let i = 0; i < dark.data.length; i++) dark.data[i] *= BACKDROP_LIGHT;
  return resize(dark, size, "bilinear");
}

function backgroundStrips({ data, widthPx, heightPx }: Plane): Strips {
  const isRowFree = (row: number) => isFree(widthPx, (i) => data[row * widthPx + i]);
  const isColumnFree = (column: number) => isFree(heightPx, (i) => data[i * widthPx + column]);
  return {
    left: freeDepth((depth) => isColumnFree(depth), widthPx),
    right: freeDepth((depth) => isColumnFree(widthPx - 1 - depth), widthPx),
    top: freeDepth((depth) => isRowFree(depth), heightPx),
    bottom: freeDepth((depth) => isRowFree(heightPx - 1 - depth), heightPx),
  };
}

/** Number of lines from an edge on that show only background. */
function freeDepth(isLineFree: (depth: number) => boolean, length: number): number {
  const most = Math.min(MOST_STRIP_PX, length);
  let depth = 0;
  while (depth < most && isLineFree(depth)) depth++;
  return depth;
}

function isFree(length: number, personAt: (index: number) => number): boolean {
  let persons = 0;
  for (let i = 0; i < length; i++) if (personAt(i) > MAY_BE_PERSON) persons++;
  return persons <= MOST_PERSON_SHARE * length;
}

/** Maps any position to 0..length − 1 by mirroring the strip at the near end repeatedly. */
function mirrored(position: number, length: number, stripBefore: number, stripAfter: number): number {
  if (position < 0) return bounced(-1 - position, stripBefore);
  if (position >= length) return length - 1 - bounced(position - length, stripAfter);
  return position;
}

/** A triangle wave: steps from an edge into a strip and back, 0..strip − 1. */
function bounced(steps: number, strip: number): number {
  const reach = Math.max(1, strip);
  const within = steps % (2 * reach);
  return within < reach ? within : 2 * reach - 1 - within;
}
