// Removes the dark corners of parted lips from the skin texture: closed or rounded lips would show them as black dots.
import { inpaint } from "../../../signal/image/inpaint.ts";
import { createPlane, type Plane } from "../../../signal/image/raster.ts";
import { median } from "../../../signal/math/statistics.ts";
import { PARTED_GAP } from "../rest-pose.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { luma } from "./rgb.ts";

/** Size of a corner's surroundings along and across the seam, in half mouth widths. Dark pixels inside count as its
 *  shadow. */
const INWARD = 0.36;
const OUTWARD = 0.2;
const ACROSS = 0.28;
/** A pixel darker than this share of the surrounding skin is shadow. */
const DARK_SHARE = 0.84;

/** Fills the shadows at both corners of parted lips from the surrounding skin. Returns `colour` itself (RGB 0..255, of
 *  the region's size) if the lips were closed, otherwise a changed copy. */
export function brightenMouthCorners(colour: Plane, geometry: FaceGeometry): Plane {
  const { mouth, regionPx } = geometry;
  if (mouth.maxGap < PARTED_GAP) return colour;
  const { frame } = mouth;
  const brightness = (at: number) => luma([colour.data[3 * at], colour.data[3 * at + 1], colour.data[3 * at + 2]]);
  const mask = createPlane(regionPx, regionPx);
  for (const side of [-1, 1]) {
    const corner: number[] = [];
    const around: number[] = [];
    for (let y = 0; y < regionPx; y++) {
      for (let x = 0; x < regionPx; x++) {
        const along = side * frame.u(x, y) - 1;
        const across = Math.abs(frame.v(x, y)) / ACROSS;
        if (along < -INWARD || along > 2 * OUTWARD || across > 2) continue;
        const isNear = (along < 0 ? along / INWARD : along / OUTWARD) ** 2 + across ** 2 < 1;
        (isNear ? corner : around).push(y * regionPx + x);
      }
    }
    const skin = median(around.map(brightness));
    for (const at of corner) if (brightness(at) < DARK_SHARE * skin) mask.data[at] = 1;
  }
  return inpaint(colour, widened(mask));
}

/** Dilates a mask by one pixel, because shadows have soft edges. */
function widened(mask: Plane): Plane {
  const { widthPx, heightPx } = mask;
  const wide = createPlane(widthPx, heightPx);
  for (let y = 1; y < heightPx - 1; y++) {
    for (let x = 1; x < widthPx - 1; x++) {
      const at = y * widthPx + x;
      const isNear = [0, -1, 1, -widthPx, widthPx].some((offset) => mask.data[at + offset] > 0);
      wide.data[at] = isNear ? 1 : 0;
    }
  }
  return wide;
}
