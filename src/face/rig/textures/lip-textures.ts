// Colours and outlines of the two layers that meet at the lips.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type Plane, type RgbImage, toPlane, toRgbImage } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { smoothSmileFolds } from "../displacements/smile-folds.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { brightenMouthCorners } from "../measure/mouth-corners.ts";

/** Width over which an outline changes from transparent to opaque. */
const SOFT_EDGE_PX = 1.6;

/** All of the region's size. */
export interface LipTextures {
  /** RGB 0..255: the photo with the mouth's opening covered in upper-lip and in lower-lip colours. */
  headColour: Plane;
  jawColour: Plane;
  /** 0..1: area of the head layer, all but the lower lip and chin; area of the jaw layer, all below its lip edge. */
  headAlpha: Plane;
  jawAlpha: Plane;
  /** 0..1: shadow below the upper lip, and darkening near the lower lip. */
  headShade: Plane;
  jawShade: Plane;
}

/** Alpha for a signed distance in pixels, positive inside. */
export function softEdge(distancePx: number): number {
  return Math.min(1, Math.max(0, distancePx / SOFT_EDGE_PX + 0.5));
}

export function createLipTextures(region: RgbImage, geometry: FaceGeometry): LipTextures {
  const { mouth, regionPx } = geometry;
  const { frame } = mouth;
  const pixel = 1 / frame.unitPx;
  const headColour = smoothSmileFolds(brightenMouthCorners(toPlane(region), geometry), geometry);
  const skin = toRgbImage(headColour);
  const jawColour = createPlane(regionPx, regionPx, 3, headColour.data.slice());
  const headAlpha = createPlane(regionPx, regionPx);
  const jawAlpha = createPlane(regionPx, regionPx);
  const aboveUpper = createPlane(regionPx, regionPx);
  const belowLower = createPlane(regionPx, regionPx);
  const headFill = createPlane(regionPx, regionPx, 3);
  const jawFill = createPlane(regionPx, regionPx, 3);
  const headHoles: number[] = [];
  const jawHoles: number[] = [];

  for (let y = 0; y < regionPx; y++) {
    for (let x = 0; x < regionPx; x++) {
      const at = y * regionPx + x;
      const u = frame.u(x, y);
      const v = frame.v(x, y);
      const isBetweenCorners = Math.abs(u) < 1;
      const upper = mouth.innerUpper(u);
      const lower = mouth.innerLower(u);
      const upperEdge = upper - 1.5 * pixel;
      const lowerEdge = lower + 1.5 * pixel;
      if (isBetweenCorners) {
        sampleBilinear(skin, frame.toX(u, upperEdge), frame.toY(u, upperEdge), "replicate", headFill.data, 3 * at);
        sampleBilinear(skin, frame.toX(u, lowerEdge), frame.toY(u, lowerEdge), "replicate", jawFill.data, 3 * at);
        if (Math.abs(u) < 0.985 && lower - upper > 0.3 * pixel) {
          if (v > upperEdge && v < lower + 2.5 * pixel) headHoles.push(at);
          if (v < lowerEdge && v > upper - 2.5 * pixel) jawHoles.push(at);
        }
      }
      const withinCut = smoothstep((0.985 - Math.abs(u)) / 0.05) * smoothstep((mouth.chinV + 0.15 - v) / 0.12);
      headAlpha.data[at] = 1 - softEdge((v - upper) * frame.unitPx) * withinCut;
      // Beyond the opening's corners lips never part. Without this, coarse cells or soft edges would show the dark
      // behind them as a hook.
      const sealed = smoothstep((Math.abs(u) - mouth.innerHalfWidth) / 0.05 + 1);
      const sealedPx = sealed * (SOFT_EDGE_PX + Math.max(lower - upper, 0) * frame.unitPx);
      jawAlpha.data[at] = isBetweenCorners ? softEdge((v - lower) * frame.unitPx + sealedPx) : 1;
      aboveUpper.data[at] = v < upper ? 1 : 0;
      belowLower.data[at] = v > lower ? 1 : 0;
    }
  }
  // Columns with one colour each would be visible as stripes.
  copyPixels(gaussianBlur(headFill, 1.2), headColour, headHoles);
  copyPixels(gaussianBlur(jawFill, 1.2), jawColour, jawHoles);
  return {
    headColour,
    jawColour,
    headAlpha,
    jawAlpha,
    headShade: spread(aboveUpper, 0.05 * frame.unitPx, 1.6),
    jawShade: spread(belowLower, 0.09 * frame.unitPx, 2),
  };
}

function copyPixels(from: Plane, to: Plane, pixels: readonly number[]): void {
  for (const pixel of pixels) to.data.set(from.data.subarray(3 * pixel, 3 * pixel + 3), 3 * pixel);
}

function spread(mask: Plane, sigma: number, gain: number): Plane {
  const blurred = gaussianBlur(mask, sigma);
  return createPlane(
    mask.widthPx,
    mask.heightPx,
    1,
    blurred.data.map((value) => Math.min(1, gain * value)),
  );
}
