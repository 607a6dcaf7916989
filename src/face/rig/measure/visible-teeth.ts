// Where the teeth of a photographed smile end: marks follow the lips, with edges that are soft and cast shadows.
import type { RgbImage } from "../../../signal/image/raster.ts";
import { median } from "../../../signal/math/statistics.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { sampleLuma } from "./sample-luma.ts";

/** Columns that are searched, in half mouth widths from the middle. */
const COLUMNS = [-0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4];
/** Teeth are bright in the middle of the gap, at this share of it from the upper lip. */
const MIDDLE = 0.45;
/** Below this share of that brightness there are no teeth. */
const TEETH_SHARE = 0.85;
const STEP_PX = 0.5;
/** Antialiasing between teeth and lips. */
const EDGE_PX = 1;

/** Distances of the visible teeth from the inner contours of the upper and of the lower lip, in half mouth widths. */
export interface TeethInset {
  top: number;
  bottom: number;
}

export function measureTeethInset(region: RgbImage, { mouth }: FaceGeometry): TeethInset {
  const { frame } = mouth;
  const brightness = (u: number, v: number) => sampleLuma(region, frame.toX(u, v), frame.toY(u, v));
  const middleOf = (u: number) => mouth.innerUpper(u) + MIDDLE * (mouth.innerLower(u) - mouth.innerUpper(u));
  const least = TEETH_SHARE * median(COLUMNS.map((u) => brightness(u, middleOf(u))));
  const step = STEP_PX / frame.unitPx;
  /** Distance from `limit` at which teeth end, walking there from the middle. */
  const inset = (u: number, limit: number) => {
    const middle = middleOf(u);
    const direction = Math.sign(limit - middle);
    let walked = 0;
    while (walked < Math.abs(limit - middle) && brightness(u, middle + direction * walked) >= least) walked += step;
    return Math.abs(limit - middle) - walked;
  };
  const edge = EDGE_PX / frame.unitPx;
  return {
    top: Math.max(0, median(COLUMNS.map((u) => inset(u, mouth.innerUpper(u))))) + edge,
    bottom: Math.max(0, median(COLUMNS.map((u) => inset(u, mouth.innerLower(u))))) + edge,
  };
}
