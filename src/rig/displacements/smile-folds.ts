// Removes the creases of a broad smile beside the mouth, which do not fit the neutral and rounded mouths of the rig.
import { gaussianBlur } from "../../image/gaussian-blur.ts";
import type { Plane } from "../../image/raster.ts";
import { smoothstep } from "../../math/smoothstep.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { smileTakenBack } from "../rest-pose.ts";

/** Size of the surroundings with which a crease is compared, in half mouth widths. */
const SURROUNDINGS = 0.2;
/** Each round removes part of a crease; the next one compares with the brightened surroundings. */
const ROUNDS = 3;
const TAKEN_A_ROUND = 0.7;

/** Brightens pixels on the cheeks beside the mouth that are darker than their surroundings, in proportion to how far
 *  the rest pose reduces the smile. Changes `colour` (RGB 0..255, of the region's size) and returns it. */
export function smoothSmileFolds(colour: Plane, geometry: FaceGeometry): Plane {
  const { mouth, regionPx } = geometry;
  const taken = smileTakenBack(mouth);
  if (taken === 0) return colour;
  const { frame, noseV } = mouth;
  for (let round = 0; round < ROUNDS; round++) {
    const surroundings = gaussianBlur(colour, SURROUNDINGS * frame.unitPx);
    for (let y = 0; y < regionPx; y++) {
      for (let x = 0; x < regionPx; x++) {
        const u = Math.abs(frame.u(x, y));
        const v = frame.v(x, y);
        // The crease runs from the wing of the nose past the corner of the mouth. Further out is the face outline.
        const inner = 1.02 - 0.2 * Math.min(1.3, Math.max(0, v / noseV));
        const across = smoothstep((u - inner) / 0.12) * smoothstep((1.75 - u) / 0.3);
        const along = smoothstep((v - 1.6 * noseV) / 0.3) * smoothstep((0.75 - v) / 0.3);
        const share = TAKEN_A_ROUND * taken * across * along;
        if (share === 0) continue;
        const at = 3 * (y * regionPx + x);
        for (let i = at; i < at + 3; i++) {
          colour.data[i] += share * Math.max(0, surroundings.data[i] - colour.data[i]);
        }
      }
    }
  }
  return colour;
}
