// Colours and outlines of the two layers that meet at the lips.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type Plane, type RgbImage, toPlane, toRgbImage } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { smoothSmileFolds } from "../displacements/smile-folds.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { brightenMouthCorners } from "../measure/mouth-corners.ts";
import { luma } from "../measure/rgb.ts";

/** Width over which an outline changes from transparent to opaque. */
const SOFT_EDGE_PX = 1.6;

/** Between the lips, towards the corners, the cavity fades into the flesh of the cheek, a part of the lower lip's
 *  layer. |u| as a share of the opening's half width: from where, and where it covers the whole opening. Rounded lips
 *  touch beside their hole, so their corners are nearer to the middle: there flesh is low. */
const FLESH_FROM = 0.05;
const FLESH_TO = 0.97;
/** How high flesh reaches above the lower lip at the corner, in half mouth widths; it grows with this power. */
const FLESH_HEIGHT = 0.5;
const FLESH_GROWS = 1.3;
/** Its brightness, as a share of the lip's: as dark as the line between the lips, which would be seen as dots. */
const FLESH_BRIGHTNESS = 0.45;
/** From the lip's edge it gets as dark over this height, in half mouth widths. */
const FLESH_BLENDS = 0.09;
/** Its colour is this multiple as far from grey: at a thin corner, what is taken for the lip is mostly skin. */
const FLESH_SATURATION = 1.7;
/** Flesh has the lip's colour, evened out over this many half mouth widths. */
const FLESH_EVEN = 0.06;
/** Width that the upper lip's soft edge gains at the corners, in half mouth widths: the lower lip's layer is pressed
 *  together there, and a narrow edge would show steps. */
const CORNER_SOFTER = 0.05;

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
  /** Shares of brightness, 0 or below: the creases of a photographed smile that the colours lack; null without any. */
  creases: Plane | null;
}

/** Alpha for a signed distance in pixels, positive inside. */
export function softEdge(distancePx: number, widthPx = SOFT_EDGE_PX): number {
  return Math.min(1, Math.max(0, distancePx / widthPx + 0.5));
}

export function createLipTextures(region: RgbImage, geometry: FaceGeometry): LipTextures {
  const { mouth, regionPx } = geometry;
  const { frame } = mouth;
  const pixel = 1 / frame.unitPx;
  const headColour = brightenMouthCorners(toPlane(region), geometry);
  const creases = smoothSmileFolds(headColour, geometry);
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
  const flesh: { at: number; height: number }[] = [];

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
      const corner = smoothstep(Math.abs(u) / mouth.innerHalfWidth, FLESH_FROM, FLESH_TO);
      const softPx = SOFT_EDGE_PX + corner * CORNER_SOFTER * frame.unitPx;
      headAlpha.data[at] = 1 - softEdge((v - upper) * frame.unitPx, softPx) * withinCut;
      // Beyond the opening's corners lips never part. Without this, coarse cells or soft edges would show the dark
      // behind them as a hook.
      const sealed = smoothstep((Math.abs(u) - mouth.innerHalfWidth) / 0.05 + 1);
      const sealedPx = sealed * (SOFT_EDGE_PX + Math.max(lower - upper, 0) * frame.unitPx);
      const edge = softEdge((v - lower) * frame.unitPx + sealedPx);
      const fleshHeight = FLESH_HEIGHT * corner ** FLESH_GROWS;
      // At the lip's edge flesh hides what its soft edge would let through, a dark line.
      const height = lower - v;
      const isFlesh = isBetweenCorners && height < fleshHeight;
      const covered = isFlesh ? (1 - smoothstep(height / fleshHeight)) * Math.min(1, fleshHeight / pixel) : 0;
      jawAlpha.data[at] = isBetweenCorners ? Math.max(edge, covered) : 1;
      if (isFlesh && height > 0) flesh.push({ at, height });
      aboveUpper.data[at] = v < upper ? 1 : 0;
      belowLower.data[at] = v > lower ? 1 : 0;
    }
  }
  // Columns with one colour each would be visible as stripes.
  copyPixels(gaussianBlur(headFill, 1.2), headColour, headHoles);
  copyPixels(gaussianBlur(jawFill, 1.2), jawColour, jawHoles);
  paintFlesh(jawColour, gaussianBlur(jawFill, FLESH_EVEN * frame.unitPx), flesh, pixel);
  return {
    headColour,
    jawColour,
    headAlpha,
    jawAlpha,
    headShade: spread(aboveUpper, 0.05 * frame.unitPx, 1.6),
    jawShade: spread(belowLower, 0.09 * frame.unitPx, 2),
    creases,
  };
}

/** Flesh above the lower lip. `pixel`: its size in the unit of the heights. */
function paintFlesh(colour: Plane, lip: Plane, flesh: readonly { at: number; height: number }[], pixel: number): void {
  for (const { at, height } of flesh) {
    const blended = smoothstep(height / Math.max(pixel, FLESH_BLENDS));
    const grey = luma([lip.data[3 * at], lip.data[3 * at + 1], lip.data[3 * at + 2]]);
    for (let i = 3 * at; i < 3 * at + 3; i++) {
      const flesh = FLESH_BRIGHTNESS * Math.max(0, grey + FLESH_SATURATION * (lip.data[i] - grey));
      colour.data[i] += blended * (flesh - colour.data[i]);
    }
  }
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
