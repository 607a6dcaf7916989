// Removes the creases of a broad smile beside the mouth, which do not fit the neutral and rounded mouths of the rig.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, cropPlane, type PixelBox, type Plane } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { luma } from "../measure/rgb.ts";
import { smileTakenBack } from "../rest-pose.ts";

/** Size of the surroundings with which a crease is compared, in half mouth widths. */
const SURROUNDINGS = 0.2;
/** Each round removes part of a crease; the next one compares with the brightened surroundings. */
const ROUNDS = 3;
/** How far a blur reaches, in its standard deviations. */
const BLUR_REACH = 4.1;
const TAKEN_A_ROUND = 0.7;

/** Brightens pixels on the cheeks beside the mouth that are darker than their surroundings, in proportion to how far
 *  the rest pose reduces the smile. Changes `colour` (RGB 0..255, of the region's size). Returns the creases as shares
 *  of the new brightness, one channel, 0 or below; null if nothing is taken back. */
export function smoothSmileFolds(colour: Plane, geometry: FaceGeometry): Plane | null {
  const taken = smileTakenBack(geometry.mouth);
  if (taken === 0) return null;
  const shares = foldShares(geometry);
  const sigma = SURROUNDINGS * geometry.mouth.frame.unitPx;
  const box = boxAround(shares, Math.ceil(BLUR_REACH * sigma));
  const own = cropPlane(colour, box);
  for (let round = 0; round < ROUNDS; round++) {
    const surroundings = gaussianBlur(own, sigma);
    for (let at = 0; at < own.data.length; at++) {
      const column = Math.floor(at / 3) % box.widthPx;
      const row = Math.floor(at / 3 / box.widthPx);
      const share = TAKEN_A_ROUND * taken * shares.data[(box.y + row) * shares.widthPx + box.x + column];
      own.data[at] += share * Math.max(0, surroundings.data[at] - own.data[at]);
    }
  }
  const creases = createPlane(colour.widthPx, colour.heightPx);
  for (let row = 0; row < box.heightPx; row++) {
    for (let column = 0; column < box.widthPx; column++) {
      const at = (box.y + row) * colour.widthPx + box.x + column;
      const before = lumaAt(colour, at);
      for (let channel = 0; channel < 3; channel++) {
        colour.data[3 * at + channel] = own.data[3 * (row * box.widthPx + column) + channel];
      }
      creases.data[at] = before / Math.max(1, lumaAt(colour, at)) - 1;
    }
  }
  return creases;
}

function lumaAt({ data }: Plane, at: number): number {
  return luma([data[3 * at], data[3 * at + 1], data[3 * at + 2]]);
}

/** Where creases lie, 0..1, one channel of the region's size: from the wing of the nose past the corner of the mouth.
 *  Further out is the face outline. */
function foldShares({ mouth, regionPx }: FaceGeometry): Plane {
  const { frame, noseV } = mouth;
  const shares = createPlane(regionPx, regionPx);
  for (let at = 0; at < shares.data.length; at++) {
    const [x, y] = [at % regionPx, Math.floor(at / regionPx)];
    const u = Math.abs(frame.u(x, y));
    const v = frame.v(x, y);
    const inner = 1.02 - 0.2 * Math.min(1.3, Math.max(0, v / noseV));
    const across = smoothstep((u - inner) / 0.12) * smoothstep((1.75 - u) / 0.3);
    shares.data[at] = across * smoothstep((v - 1.6 * noseV) / 0.3) * smoothstep((0.75 - v) / 0.3);
  }
  return shares;
}

/** The box of everything above 0, `marginPx` wider on each side, within the plane; all of it if nothing is. */
function boxAround({ data, widthPx, heightPx }: Plane, marginPx: number): PixelBox {
  let [left, top, right, bottom] = [widthPx, heightPx, -1, -1];
  for (let at = 0; at < data.length; at++) {
    if (data[at] === 0) continue;
    const [x, y] = [at % widthPx, Math.floor(at / widthPx)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  if (right < 0) return { x: 0, y: 0, widthPx, heightPx };
  const x = Math.max(0, left - marginPx);
  const y = Math.max(0, top - marginPx);
  return {
    x,
    y,
    widthPx: Math.min(widthPx, right + 1 + marginPx) - x,
    heightPx: Math.min(heightPx, bottom + 1 + marginPx) - y,
  };
}
