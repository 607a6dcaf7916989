// Scales and crops a photo so that its face has a fitting size on the canvas, without inventing any of the person.

import {
  cropPlane,
  cropRgbImage,
  type PixelBox,
  type Plane,
  type RgbImage,
  toRgbImage,
} from "../../../signal/image/raster.ts";
import { resize } from "../../../signal/image/resize.ts";
import { type FaceOval, type FacePoints, faceOval, mapPoints } from "../../portrait/face-points.ts";
import { type Backdrop, fillBackdrop } from "./portrait-backdrop.ts";
import { portraitScale } from "./portrait-scale.ts";

/** Where the photo shows less than the face needs, the face gets larger up to this share of the region's side, then the
 *  region grows with it. More would leave no room for a dropped jaw below, and hair above that follows the head. */
const MOST_OVAL_SHARE = 0.7;
/** Hair needs more space than the neck, but the jaw drops: below the chin the region has at least this share of the
 *  oval's height, and above the oval at most this many times as much as below. */
const BELOW_CHIN = 0.19;
const ABOVE_TO_BELOW = 1.7;
/** Preferred position of the oval's centre on the canvas, as a share of the canvas height. */
const OVAL_CANVAS_Y = 0.47;

export interface PortraitFraming {
  /** Even numbers, each at least `regionPx`. */
  canvas: { widthPx: number; heightPx: number };
  /** Least side of the square that moves, px; a multiple of 8. */
  regionPx: number;
  /** Probability of person, 0..1, one channel of the photo's size. With it, a background that ends at an edge of the
   *  photo is continued there. */
  person?: Plane;
}

export interface FramedPortrait {
  canvas: RgbImage;
  /** Where the photo lies on the canvas, and what surrounds it. */
  photo: PixelBox;
  backdrop: Backdrop;
  /** Where the region lies on the canvas; even. Its side is a multiple of 8. */
  region: PixelBox;
  /** Face points in pixels of the canvas. */
  points: FacePoints;
  /** Pixels of the canvas for each pixel of the photo. */
  scale: number;
}

/** The photo as a canvas: cropped within what it shows, as close as that takes. Beyond the photo's edges lies a
 *  backdrop (`fillBackdrop`). Throws RangeError for sizes that do not fit together. */
export function framePortrait(photo: RgbImage, points: FacePoints, framing: PortraitFraming): FramedPortrait {
  const { canvas: size, regionPx: leastRegionPx, person } = framing;
  if (size.widthPx % 2 || size.heightPx % 2 || leastRegionPx % 8)
    throw new RangeError("canvas sizes are even, regions are multiples of 8");
  const shorter = Math.min(size.widthPx, size.heightPx);
  if (leastRegionPx > shorter) throw new RangeError("the region is larger than the canvas");
  const oval = faceOval(points);
  const scale = portraitScale(photo, oval.heightPx, framing);
  const crop = {
    widthPx: Math.max(1, Math.round(size.widthPx / scale)),
    heightPx: Math.max(1, Math.round(size.heightPx / scale)),
  };
  const x = placeCrop(oval.centre.x - crop.widthPx / 2, crop.widthPx, photo.widthPx);
  const y = placeCrop(oval.centre.y - OVAL_CANVAS_Y * crop.heightPx, crop.heightPx, photo.heightPx);
  const scaleX = size.widthPx / crop.widthPx;
  const scaleY = size.heightPx / crop.heightPx;
  const mapped = mapPoints(points, { scaleX, scaleY, shiftX: x * scaleX, shiftY: y * scaleY });
  return {
    ...cut(photo, { x, y, ...crop }, size, person),
    region: placeRegion(faceOval(mapped), leastRegionPx, size),
    points: mapped,
    scale,
  };
}

/** Start of the crop on one axis: the preferred one, moved so that it lies in the photo, or around it if it is the
 *  larger one. */
function placeCrop(preferred: number, cropPx: number, photoPx: number): number {
  const room = photoPx - cropPx;
  return Math.round(Math.min(Math.max(preferred, Math.min(room, 0)), Math.max(room, 0)));
}

/** The square that moves: as large as the face needs, within the canvas. */
function placeRegion(oval: FaceOval, leastPx: number, size: { widthPx: number; heightPx: number }): PixelBox {
  const mostPx = 8 * Math.floor(Math.min(size.widthPx, size.heightPx) / 8);
  const sidePx = Math.min(mostPx, Math.max(leastPx, 8 * Math.ceil(oval.heightPx / MOST_OVAL_SHARE / 8 - 0.25)));
  const spare = sidePx - oval.heightPx;
  const below = Math.min(spare, Math.max(BELOW_CHIN * oval.heightPx, spare / (1 + ABOVE_TO_BELOW)));
  const even = (value: number, limit: number) => Math.min(limit, Math.max(0, 2 * Math.round(value / 2)));
  return {
    x: even(oval.centre.x - sidePx / 2, size.widthPx - sidePx),
    y: even(oval.bottomPx + below - sidePx, size.heightPx - sidePx),
    widthPx: sidePx,
    heightPx: sidePx,
  };
}

/** The crop at the canvas's size, and where the photo lies in it. */
function cut(
  photo: RgbImage,
  crop: PixelBox,
  size: { widthPx: number; heightPx: number },
  person: Plane | undefined,
): Pick<FramedPortrait, "canvas" | "photo" | "backdrop"> {
  const left = Math.max(0, crop.x);
  const top = Math.max(0, crop.y);
  const covered = {
    x: left,
    y: top,
    widthPx: Math.max(1, Math.min(photo.widthPx, crop.x + crop.widthPx) - left),
    heightPx: Math.max(1, Math.min(photo.heightPx, crop.y + crop.heightPx) - top),
  };
  const scaleX = size.widthPx / crop.widthPx;
  const scaleY = size.heightPx / crop.heightPx;
  const place = {
    x: Math.round((covered.x - crop.x) * scaleX),
    y: Math.round((covered.y - crop.y) * scaleY),
    widthPx: Math.max(1, Math.round(covered.widthPx * scaleX)),
    heightPx: Math.max(1, Math.round(covered.heightPx * scaleY)),
  };
  const scaled = toRgbImage(resize(cropRgbImage(photo, covered), place, "lanczos"));
  if (place.widthPx === size.widthPx && place.heightPx === size.heightPx) {
    return { canvas: scaled, photo: place, backdrop: "none" };
  }
  const shown = person && resize(cropPlane(person, covered), place, "bilinear");
  return { ...fillBackdrop(scaled, place, size, shown), photo: place };
}
