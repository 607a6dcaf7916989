// Divides the region into bands that are rendered one after the other, so that intermediate results stay in the CPU
// cache.
import type { PixelBox } from "../../signal/image/raster.ts";
import type { RigBoxes } from "./rig-shape.ts";

/** Rows of the region, over its whole width. */
export interface RegionBand {
  box: PixelBox;
  /** Layers besides the head, in a box as high as the band. */
  patch?: "eyes" | "mouth";
}

/** Maximum height of a band. Sampling 96 rows at blocks takes a working buffer of 0.5 MB in ONNX Runtime; that of the
 *  whole region would not fit in a core's cache. */
const MOST_ROWS_PX = 96;

/** From top to bottom, covering the region exactly; heights are multiples of 8, none is empty. */
export function regionBands(regionPx: number, { eyes, mouth }: Pick<RigBoxes, "eyes" | "mouth">): RegionBand[] {
  const rows = (y: number, end: number, patch?: RegionBand["patch"]): RegionBand => ({
    box: { x: 0, y, widthPx: regionPx, heightPx: end - y },
    patch,
  });
  const plain = (from: number, to: number): RegionBand[] => {
    const bands: RegionBand[] = [];
    for (let y = from; y < to; y += MOST_ROWS_PX) bands.push(rows(y, Math.min(to, y + MOST_ROWS_PX)));
    return bands;
  };
  const eyesEnd = eyes.y + eyes.heightPx;
  const mouthEnd = mouth.y + mouth.heightPx;
  return [
    ...plain(0, eyes.y),
    rows(eyes.y, eyesEnd, "eyes"),
    ...plain(eyesEnd, mouth.y),
    rows(mouth.y, mouthEnd, "mouth"),
    ...plain(mouthEnd, regionPx),
  ];
}
