// What shows between parted lips: teeth from the photo where it shows them, drawn ones otherwise, tongue and the dark behind.
import { gaussianBlur } from "../image/gaussian-blur.ts";
import { createPlane, type PixelBox, type Plane, type RgbImage } from "../image/raster.ts";
import { sampleBilinear } from "../image/remap.ts";
import { smoothstep } from "../image/smoothstep.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { seamV } from "./mouth-frame.ts";
import { type PortraitStyle, type Rgb, scale } from "./portrait-style.ts";
import { type ToothRow, toothAlpha } from "./tooth-row.ts";

/** A layer behind the lips, both planes of the region's size: RGB 0..255 and alpha 0..1. */
export interface InteriorLayer {
  colour: Plane;
  alpha: Plane;
}

export interface MouthInterior {
  upperTeeth: InteriorLayer;
  lowerTeeth: InteriorLayer;
  tongue: InteriorLayer;
}

/** Crowns as seen from the front, in mm from the middle. Source: usual widths of human teeth. */
const UPPER_ROW: ToothRow = {
  edgesMm: [0, 8.6, 15, 21, 25, 28.5],
  biteMm: [1.7, 1.35, 1.7, 1.4, 1.3],
  lengthMm: 11,
  direction: 1,
  archPerMm: -0.006,
  cornerMm: 1.2,
};
const LOWER_ROW: ToothRow = {
  edgesMm: [0, 5.2, 10.4, 16, 20.5],
  biteMm: [1.2, 1.2, 1.2, 1.2],
  lengthMm: 9,
  direction: -1,
  archPerMm: 0.01,
  cornerMm: 0.9,
};

/** Lower teeth lie further back, in reddish light. */
const LOWER_TINT: Rgb = [0.92, 0.85, 0.82];

/** Draws inside `box` only; everything else stays clear. */
export function createMouthInterior(
  region: RgbImage,
  geometry: FaceGeometry,
  style: PortraitStyle,
  box: PixelBox,
): MouthInterior {
  const upperTeeth = style.hasOwnTeeth
    ? photographedTeeth(region, geometry, box)
    : drawnUpperTeeth(geometry, style, box);
  return { upperTeeth, lowerTeeth: drawnLowerTeeth(geometry, style, box), tongue: drawnTongue(geometry, style, box) };
}

/** Paints pixel by pixel in mm: x from the middle of the mouth, y down from where the lips meet. `paint` returns alpha and writes a colour. */
function drawLayer(
  geometry: FaceGeometry,
  box: PixelBox,
  paint: (xMm: number, yMm: number, colour: [number, number, number]) => number,
): InteriorLayer {
  const { mouth, regionPx, pixelsPerMm } = geometry;
  const { frame } = mouth;
  const colour = createPlane(regionPx, regionPx, 3);
  const alpha = createPlane(regionPx, regionPx);
  const toMm = frame.unitPx / pixelsPerMm;
  const seam = seamV(mouth, 0);
  const painted: [number, number, number] = [0, 0, 0];
  for (let y = box.y; y < box.y + box.heightPx; y++) {
    for (let x = box.x; x < box.x + box.widthPx; x++) {
      const at = y * regionPx + x;
      alpha.data[at] = paint(frame.u(x, y) * toMm, (frame.v(x, y) - seam) * toMm, painted);
      colour.data.set(painted, 3 * at);
    }
  }
  return { colour, alpha };
}

function drawnUpperTeeth(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  const gum = scale(style.lip, [0.75, 0.75, 0.75]);
  const layer = drawLayer(geometry, box, (x, y, colour) => {
    const tooth = toothAlpha(UPPER_ROW, x, y, geometry.pixelsPerMm);
    // A dimmer ground behind the crowns, so that no dark shows in the lines between them.
    const isOnArch = y < 0.2 - 0.006 * x * x && Math.abs(x) < 28 && y > -12;
    const ground = isOnArch ? 0.92 : 0;
    const alpha = Math.max(tooth.alpha, ground);
    const round = Math.exp(-((x / 30) ** 2));
    const brightness = tooth.alpha * tooth.shade + (1 - tooth.alpha) * 0.9 * round;
    const gumShare = smoothstep(-y - 9.2 - 0.03 * Math.abs(x));
    for (let i = 0; i < 3; i++) colour[i] = style.tooth[i] * brightness * (1 - gumShare) + gum[i] * gumShare;
    return alpha;
  });
  return soften(layer, geometry);
}

function drawnLowerTeeth(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  if (style.isFlat) return drawLayer(geometry, box, () => 0);
  const layer = drawLayer(geometry, box, (x, y, colour) => {
    const tooth = toothAlpha(LOWER_ROW, x, y, geometry.pixelsPerMm);
    const isOnArch = y > 0 && Math.abs(x) < 20 && y < 10;
    const brightness = tooth.alpha * tooth.shade + (1 - tooth.alpha) * 0.8;
    for (let i = 0; i < 3; i++) colour[i] = style.tooth[i] * LOWER_TINT[i] * brightness;
    return Math.max(tooth.alpha, isOnArch ? 0.9 : 0);
  });
  return soften(layer, geometry);
}

function drawnTongue(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  const flesh: Rgb = scale(style.lip, [1, 0.7, 0.7]);
  return drawLayer(geometry, box, (x, y, colour) => {
    const across = x / 16;
    const down = (y - 2) / 6;
    const distance = Math.hypot(across, down < 0 ? down : 0.3 * down);
    const furrow = 0.15 * Math.exp(-((x / 1.3) ** 2));
    const shade = 0.82 - 0.2 * Math.min(1, Math.max(-1, -down)) - furrow;
    for (let i = 0; i < 3; i++) colour[i] = flesh[i] * shade;
    return Math.min(1, Math.max(0, ((1 - distance) * 17 * geometry.pixelsPerMm) / 3));
  });
}

/** The photo's own teeth; what the lips hide goes on in the colours at their edges. */
function photographedTeeth(region: RgbImage, geometry: FaceGeometry, box: PixelBox): InteriorLayer {
  const { mouth, regionPx } = geometry;
  const { frame } = mouth;
  const pixel = 1 / frame.unitPx;
  const colour = createPlane(regionPx, regionPx, 3);
  const alpha = createPlane(regionPx, regionPx);
  const hidden: number[] = [];
  for (let y = box.y; y < box.y + box.heightPx; y++) {
    for (let x = box.x; x < box.x + box.widthPx; x++) {
      const at = y * regionPx + x;
      const u = frame.u(x, y);
      const v = frame.v(x, y);
      const top = mouth.innerUpper(u) + 2 * pixel;
      const bottom = mouth.innerLower(u) - 2 * pixel;
      const shownV = Math.min(Math.max(v, top), Math.max(bottom, top));
      sampleBilinear(region, frame.toX(u, shownV), frame.toY(u, shownV), "replicate", colour.data, 3 * at);
      if (v < top) hidden.push(at);
      const aboveBottom = Math.min(1, Math.max(0, ((bottom + 0.5 * pixel - v) * frame.unitPx) / 2 + 0.5));
      alpha.data[at] = aboveBottom * smoothstep((0.97 * mouth.innerHalfWidth - Math.abs(u)) / 0.12);
    }
  }
  const blurred = gaussianBlur(colour, 1.5);
  for (const at of hidden) colour.data.set(blurred.data.subarray(3 * at, 3 * at + 3), 3 * at);
  return { colour, alpha };
}

/** Photos are not as sharp as drawn edges: blurs a little, colours weighted by their alpha. */
function soften(layer: InteriorLayer, geometry: FaceGeometry): InteriorLayer {
  const sigma = Math.max(0.35 * geometry.pixelsPerMm, 0.7);
  const { colour, alpha } = layer;
  const weighted = createPlane(
    colour.widthPx,
    colour.heightPx,
    3,
    colour.data.map((value, index) => value * alpha.data[Math.floor(index / 3)]),
  );
  const softAlpha = gaussianBlur(alpha, sigma);
  const softColour = gaussianBlur(weighted, sigma);
  for (let i = 0; i < softColour.data.length; i++) {
    softColour.data[i] /= Math.max(softAlpha.data[Math.floor(i / 3)], 1e-3);
  }
  return { colour: softColour, alpha: softAlpha };
}
