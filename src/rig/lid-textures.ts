// Colour and outline of the upper lids.
import { createPlane, type Plane, type RgbImage, toPlane } from "../image/raster.ts";
import { sampleBilinear } from "../image/remap.ts";
import { smoothstep } from "../image/smoothstep.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { softEdge } from "./lip-textures.ts";

/** Pixels by which the lid reaches past the marked margin: marks sit on the lashes' roots. */
const LASH_PX = 1.2;

/** Both of the region's size: RGB 0..255 with the lid's margin carried on over the eyeball, and 0..1, 1 on the lid. */
export interface LidTextures {
  colour: Plane;
  alpha: Plane;
}

export function createLidTextures(region: RgbImage, geometry: FaceGeometry): LidTextures {
  const { regionPx } = geometry;
  const colour = toPlane(region);
  const alpha = createPlane(regionPx, regionPx);
  for (const { frame, upper, lower, lidReach } of geometry.eyes) {
    const pixel = 1 / frame.unitPx;
    for (let y = 0; y < regionPx; y++) {
      for (let x = 0; x < regionPx; x++) {
        const u = frame.u(x, y);
        if (Math.abs(u) >= 1.12) continue;
        const v = frame.v(x, y);
        const at = y * regionPx + x;
        const margin = upper(u) + LASH_PX * pixel;
        const within = smoothstep((1.12 - Math.abs(u)) / 0.12) * smoothstep((v - (upper(u) - lidReach)) / 0.12);
        alpha.data[at] = Math.max(alpha.data[at], softEdge((margin - v) * frame.unitPx) * within);
        const edge = margin - 0.5 * pixel;
        if (v > edge && v < lower(u) + 0.5 && Math.abs(u) < 1.1) {
          sampleBilinear(region, frame.toX(u, edge), frame.toY(u, edge), "replicate", colour.data, 3 * at);
        }
      }
    }
  }
  return { colour, alpha };
}
