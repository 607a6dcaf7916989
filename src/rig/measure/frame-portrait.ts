// Scales and crops a photo so that its face has the size that the rig expects.

import { type FaceOval, type FacePoints, faceOval, mapPoints } from "../../face/face-points.ts";
import { gaussianBlur } from "../../image/gaussian-blur.ts";
import { createPlane, cropRgbImage, type PixelBox, type RgbImage, toRgbImage } from "../../image/raster.ts";
import { resize } from "../../image/resize.ts";
import { smoothstep } from "../../math/smoothstep.ts";

/** Height of the face oval (hairline to chin) as a share of the region's side: leaves room for hair above, the neck
 *  below, and a rim in which motion fades out. */
const OVAL_SHARE = 0.54;
/** The share may grow to this if the photo then covers the whole canvas. */
const MOST_OVAL_SHARE = 0.61;
/** It may exceed that by this factor, because filled strips at an edge look worse than a slightly larger face. */
const COVERING_SLACK = 1.04;
/** The oval's centre lies this share of its height below the region's centre, because hair needs more space than the
 *  neck. */
const OVAL_DROP = 0.12;
/** Preferred position of the oval's centre on the canvas, as a share of the canvas height. */
const OVAL_CANVAS_Y = 0.47;
/** Blur of the filled area beyond the photo's edge. */
const EXTENSION_SIGMA_PX = 14;
/** Rim of the photo that fades into the filled area. */
const FADE_PX = 20;
/** Hair and ears reach this far beyond the face oval, as a share of its width. */
const HEAD_MARGIN_SHARE = 0.5;
/** Narrowest strip along an edge that is mirrored repeatedly. */
const MIN_STRIP_PX = 24;

export interface PortraitFraming {
  /** Even numbers, each at least `regionPx`. */
  canvas: { widthPx: number; heightPx: number };
  /** Side of the square that moves; a multiple of 8. */
  regionPx: number;
}

export interface FramedPortrait {
  canvas: RgbImage;
  /** Where the region lies on the canvas; even. */
  region: PixelBox;
  /** Face points in pixels of the canvas. */
  points: FacePoints;
}

/** The photo as a canvas. Beyond the photo's edges, its blurred mirror image fills the canvas. Throws RangeError for
 *  sizes that do not fit together. */
export function framePortrait(photo: RgbImage, points: FacePoints, framing: PortraitFraming): FramedPortrait {
  const { canvas: size, regionPx } = framing;
  if (size.widthPx % 2 || size.heightPx % 2 || regionPx % 8)
    throw new RangeError("canvas sizes are even, regions are multiples of 8");
  if (regionPx > Math.min(size.widthPx, size.heightPx)) throw new RangeError("the region is larger than the canvas");
  const oval = faceOval(points);
  const covering = Math.max(size.widthPx / photo.widthPx, size.heightPx / photo.heightPx);
  const scaleFor = (share: number) => (share * regionPx) / oval.heightPx;
  const canCover = covering <= COVERING_SLACK * scaleFor(MOST_OVAL_SHARE);
  const scale = canCover ? Math.max(scaleFor(OVAL_SHARE), covering) : scaleFor(MOST_OVAL_SHARE);
  const crop = {
    widthPx: Math.max(1, Math.round(size.widthPx / scale)),
    heightPx: Math.max(1, Math.round(size.heightPx / scale)),
  };
  const regionSide = regionPx / scale;
  const regionCentreY = oval.centre.y - OVAL_DROP * oval.heightPx;
  const x = placeCrop({
    preferred: oval.centre.x - crop.widthPx / 2,
    cropPx: crop.widthPx,
    photoPx: photo.widthPx,
    keepFrom: oval.centre.x - regionSide / 2,
    keepTo: oval.centre.x + regionSide / 2,
  });
  const y = placeCrop({
    preferred: oval.centre.y - OVAL_CANVAS_Y * crop.heightPx,
    cropPx: crop.heightPx,
    photoPx: photo.heightPx,
    keepFrom: regionCentreY - regionSide / 2,
    keepTo: regionCentreY + regionSide / 2,
  });
  const scaleX = size.widthPx / crop.widthPx;
  const scaleY = size.heightPx / crop.heightPx;
  const mapped = mapPoints(points, { scaleX, scaleY, shiftX: x * scaleX, shiftY: y * scaleY });
  const framed = faceOval(mapped);
  const even = (value: number, limit: number) => Math.min(limit, Math.max(0, 2 * Math.round(value / 2)));
  return {
    canvas: cut(photo, { x, y, ...crop }, size, headOf(framed)),
    region: {
      x: even(framed.centre.x - regionPx / 2, size.widthPx - regionPx),
      y: even(framed.centre.y - OVAL_DROP * framed.heightPx - regionPx / 2, size.heightPx - regionPx),
      widthPx: regionPx,
      heightPx: regionPx,
    },
    points: mapped,
  };
}

/** Start of the crop on one axis: the preferred one, moved so that it lies in the photo (or, if it is the larger one,
 *  around it) as far as the region (keepFrom..keepTo) stays inside the crop. */
function placeCrop(axis: {
  preferred: number;
  cropPx: number;
  photoPx: number;
  keepFrom: number;
  keepTo: number;
}): number {
  const room = axis.photoPx - axis.cropPx;
  const inPhoto = Math.min(Math.max(axis.preferred, Math.min(room, 0)), Math.max(room, 0));
  return Math.round(Math.min(axis.keepFrom, Math.max(axis.keepTo - axis.cropPx, inPhoto)));
}

/** The box of the face with its hair and ears. */
function headOf({ centre, widthPx, heightPx }: FaceOval): PixelBox {
  const margin = HEAD_MARGIN_SHARE * widthPx;
  return {
    x: centre.x - widthPx / 2 - margin,
    y: centre.y - heightPx / 2 - margin,
    widthPx: widthPx + 2 * margin,
    heightPx: heightPx + margin,
  };
}

function cut(photo: RgbImage, crop: PixelBox, size: { widthPx: number; heightPx: number }, head: PixelBox): RgbImage {
  const left = Math.min(Math.max(0, crop.x), photo.widthPx - 1);
  const top = Math.min(Math.max(0, crop.y), photo.heightPx - 1);
  const covered = {
    x: left,
    y: top,
    widthPx: Math.max(1, Math.min(photo.widthPx, crop.x + crop.widthPx) - left),
    heightPx: Math.max(1, Math.min(photo.heightPx, crop.y + crop.heightPx) - top),
  };
  const scaleX = size.widthPx / crop.widthPx;
  const scaleY = size.heightPx / crop.heightPx;
  const target = {
    x: Math.round((covered.x - crop.x) * scaleX),
    y: Math.round((covered.y - crop.y) * scaleY),
    widthPx: Math.max(1, Math.round(covered.widthPx * scaleX)),
    heightPx: Math.max(1, Math.round(covered.heightPx * scaleY)),
  };
  const scaled = toRgbImage(resize(cropRgbImage(photo, covered), target, "lanczos"));
  if (target.widthPx === size.widthPx && target.heightPx === size.heightPx) return scaled;
  return extend(scaled, target, size, head);
}

/** A canvas with the image at `place`. Around it, the strip between the image's edge and the head is mirrored
 *  repeatedly and blurred; the image fades into it. */
function extend(
  image: RgbImage,
  place: PixelBox,
  size: { widthPx: number; heightPx: number },
  head: PixelBox,
): RgbImage {
  const strip = {
    left: head.x - place.x,
    right: place.x + place.widthPx - head.x - head.widthPx,
    top: head.y - place.y,
    bottom: place.y + place.heightPx - head.y - head.heightPx,
  };
  const carried = createPlane(size.widthPx, size.heightPx, 3);
  for (let y = 0; y < size.heightPx; y++) {
    const fromY = mirrored(y - place.y, place.heightPx, strip.top, strip.bottom);
    for (let x = 0; x < size.widthPx; x++) {
      const fromX = mirrored(x - place.x, place.widthPx, strip.left, strip.right);
      const from = 3 * (fromY * place.widthPx + fromX);
      carried.data.set(image.data.subarray(from, from + 3), 3 * (y * size.widthPx + x));
    }
  }
  const blurred = gaussianBlur(carried, EXTENSION_SIGMA_PX);
  const right = place.x + place.widthPx;
  const bottom = place.y + place.heightPx;
  for (let y = 0; y < size.heightPx; y++) {
    for (let x = 0; x < size.widthPx; x++) {
      // Distance from the nearest edge that has a filled area beyond it.
      const depth = Math.min(
        place.x > 0 ? x - place.x : Number.POSITIVE_INFINITY,
        place.y > 0 ? y - place.y : Number.POSITIVE_INFINITY,
        right < size.widthPx ? right - 1 - x : Number.POSITIVE_INFINITY,
        bottom < size.heightPx ? bottom - 1 - y : Number.POSITIVE_INFINITY,
      );
      const own = smoothstep(depth / FADE_PX);
      const at = 3 * (y * size.widthPx + x);
      for (let i = at; i < at + 3; i++) carried.data[i] = blurred.data[i] + own * (carried.data[i] - blurred.data[i]);
    }
  }
  return toRgbImage(carried);
}

/** Maps any position to 0..length − 1 by mirroring the strip at the near end repeatedly. */
function mirrored(position: number, length: number, stripBefore: number, stripAfter: number): number {
  if (position < 0) return bounced(-1 - position, length, stripBefore);
  if (position >= length) return length - 1 - bounced(position - length, length, stripAfter);
  return position;
}

/** A triangle wave: steps from an edge into a strip and back, 0..strip − 1. */
function bounced(steps: number, length: number, strip: number): number {
  const reach = Math.min(length, Math.max(MIN_STRIP_PX, Math.round(strip)));
  const within = steps % (2 * reach);
  return within < reach ? within : 2 * reach - 1 - within;
}
