// The face region of the photograph in the fixtures, framed as a bake frames it, with its geometry.
import { mapPoints } from "../../../src/face/portrait/face-points.ts";
import { createFaceGeometry } from "../../../src/face/rig/measure/face-geometry.ts";
import { framePortrait } from "../../../src/face/rig/measure/frame-portrait.ts";
import { cropRgbImage } from "../../../src/signal/image/raster.ts";
import { photographedFace } from "./face-of.ts";

export const REGION_PX = 384;

/** A region of 384 px in a canvas of 512 × 512, fresh at each call. */
export async function photographedRegion() {
  const { image, points } = await photographedFace();
  const framed = framePortrait(image, points, { canvas: { widthPx: 512, heightPx: 512 }, regionPx: REGION_PX });
  const inRegion = { scaleX: 1, scaleY: 1, shiftX: framed.region.x, shiftY: framed.region.y };
  return {
    region: cropRgbImage(framed.canvas, framed.region),
    geometry: createFaceGeometry(mapPoints(framed.points, inRegion), REGION_PX),
  };
}
