// Classifies a face as drawn or photographed by its brightness statistics at one small scale. Card and metrics:
// models/subject/README.md.
import { squareCropToImage, warpAffine } from "../../signal/image/affine.ts";
import type { RgbImage } from "../../signal/image/raster.ts";
import type { FaceCandidate } from "./face-candidate.ts";

/** Side of the image of the face that is looked at. So small that photos of any size, sharp or blurred, compressed or
 *  not, look alike. */
const SIDE_PX = 64;
/** Added to medians, grey levels: what rounding and compression alone leave in flat areas. */
const CURVATURE_FLOOR = 0.05;
const SLOPE_FLOOR = 0.3;
/** Middle between the evidence of photographs and of drawings, and the width of the transition. */
const MIDDLE = 4.2;
const DOUBT = 0.35;

/** Probability that the face is drawn, 0..1. Photographs have light, skin and noise everywhere: the steepest parts are
 *  a few times steeper than the usual ones. Drawings, shaded ones too, put their detail into lines and leave smooth
 *  areas between: tens of times. Both are ratios, so that neither skin tone nor exposure counts. Never throws. */
export function drawnProbability(image: RgbImage, { box }: Pick<FaceCandidate, "box">): number {
  const cropToImage = squareCropToImage({
    centreX: box.centreX,
    centreY: box.centreY,
    sizePx: Math.max(box.widthPx, box.heightPx),
    angleRad: 0,
    cropPx: SIDE_PX,
  });
  const { data } = warpAffine(image, cropToImage, { widthPx: SIDE_PX, heightPx: SIDE_PX });
  const evidence = Math.log(peakiness(data));
  return 1 / (1 + Math.exp((MIDDLE - evidence) / DOUBT));
}

/** Product of two ratios: high to usual curvature of the brightness, and high to usual slope. `data`: RGB, SIDE_PX². */
function peakiness(data: ArrayLike<number>): number {
  const luma = Float32Array.from(
    { length: SIDE_PX * SIDE_PX },
    (_, i) => 0.299 * data[3 * i] + 0.587 * data[3 * i + 1] + 0.114 * data[3 * i + 2],
  );
  const slopes: number[] = [];
  const curvatures: number[] = [];
  for (let y = 2; y < SIDE_PX - 2; y++) {
    for (let x = 2; x < SIDE_PX - 2; x++) {
      const at = y * SIDE_PX + x;
      const [left, right, above, below] = [luma[at - 1], luma[at + 1], luma[at - SIDE_PX], luma[at + SIDE_PX]];
      slopes.push(Math.hypot(right - left, below - above));
      curvatures.push(Math.abs(luma[at] - (left + right + above + below) / 4));
    }
  }
  const slope = quantiles(slopes, 0.97, 0.5);
  const curvature = quantiles(curvatures, 0.9, 0.5);
  return (curvature[0] / (curvature[1] + CURVATURE_FLOOR)) * (slope[0] / (slope[1] + SLOPE_FLOOR));
}

function quantiles(values: number[], ...shares: number[]): number[] {
  values.sort((a, b) => a - b);
  return shares.map((share) => values[Math.floor(share * (values.length - 1))]);
}
