// The mouth interior: teeth (from the photo if visible, otherwise drawn), tongue and the dark cavity.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type PixelBox, type Plane, type RgbImage, toRgbImage } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { seamV } from "../measure/mouth-frame.ts";
import type { PortraitStyle } from "../measure/portrait-style.ts";
import { inTone, tintInTone } from "../measure/portrait-tone.ts";
import { luma, type Rgb, scale } from "../measure/rgb.ts";
import type { TeethInset } from "../measure/visible-teeth.ts";
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

/** How far the upper incisors extend below closed lips. */
const BITE_MM = 2.8;
/** y of the edges of the lower incisors. */
const LOWER_EDGE_MM = 1.2;
/** The same for teeth from the photo, which are long if they are visible. */
const OWN_BITE_MM = 3.8;
/** Curve of a row of upper teeth towards the sides. */
const BITE_ARCH_PER_MM = 0.002;
/** Crowns as seen from the front, in mm from the middle. Source: usual widths of human teeth. */
const UPPER_ROW: ToothRow = {
  edgesMm: [0, 8.6, 15, 21, 25, 28.5],
  biteMm: [BITE_MM, BITE_MM - 0.35, BITE_MM - 0.05, BITE_MM - 0.3, BITE_MM - 0.4],
  lengthMm: 11,
  direction: 1,
  archPerMm: -BITE_ARCH_PER_MM,
  cornerMm: 1.2,
};
const LOWER_ROW: ToothRow = {
  edgesMm: [0, 5.2, 10.4, 16, 20.5],
  biteMm: [LOWER_EDGE_MM, LOWER_EDGE_MM, LOWER_EDGE_MM, LOWER_EDGE_MM],
  lengthMm: 9,
  direction: -1,
  archPerMm: 0.01,
  cornerMm: 0.9,
};

/** Rows of teeth bend with the lips: share of the seam's curve. */
const FOLLOWS_SEAM = 0.75;

/** Lower teeth lie further back, in reddish light. */
const LOWER_TINT: Rgb = [0.92, 0.85, 0.82];
/** Lower incisors are this much narrower than upper ones. */
const LOWER_WIDTH = 0.62;
/** A tongue is redder than the lips, by these factors. */
const REDDER: Rgb = [1, 0.75, 0.75];
/** Colour of a tongue in even light. It gives half of the tongue's colour, the lips' colour the other half. */
const FLESH: Rgb = [196, 96, 98];

/** How far the photo's teeth must move up when the lips close over them, mm: closed lips meet nearer to the edges of
 *  the incisors than the middle of a smile's gap. 0 for drawn teeth. */
export function ownTeethLiftMm(geometry: FaceGeometry, style: PortraitStyle): number {
  if (!style.ownTeeth) return 0;
  const { mouth, pixelsPerMm } = geometry;
  const biteV = mouth.innerLower(0) - style.ownTeeth.bottom;
  const belowSeamMm = ((biteV - seamV(mouth, 0)) * mouth.frame.unitPx) / pixelsPerMm;
  return Math.max(0, belowSeamMm - OWN_BITE_MM);
}

/** Paints inside `box` only; everything else stays transparent. */
export function createMouthInterior(
  region: RgbImage,
  geometry: FaceGeometry,
  style: PortraitStyle,
  box: PixelBox,
): MouthInterior {
  if (!style.ownTeeth) {
    return {
      upperTeeth: drawnUpperTeeth(geometry, style, box),
      lowerTeeth: drawnLowerTeeth(geometry, style, box),
      tongue: drawnTongue(geometry, style, box),
    };
  }
  const upperTeeth = photographedTeeth(region, geometry, style.ownTeeth, box);
  return {
    upperTeeth,
    lowerTeeth: mirroredTeeth(upperTeeth, geometry, style, box),
    tongue: drawnTongue(geometry, style, box),
  };
}

/** Paints pixel by pixel in mm: x from the middle of the mouth, y downwards from the seam of the lips. `paint` returns
 *  alpha and writes a colour. */
function paintLayer(
  geometry: FaceGeometry,
  box: PixelBox,
  paint: (xMm: number, yMm: number, colour: [number, number, number]) => number,
): InteriorLayer {
  const { mouth, regionPx, pixelsPerMm } = geometry;
  const { frame } = mouth;
  const colour = createPlane(regionPx, regionPx, 3);
  const alpha = createPlane(regionPx, regionPx);
  const toMm = frame.unitPx / pixelsPerMm;
  const middle = seamV(mouth, 0);
  const painted: [number, number, number] = [0, 0, 0];
  for (let y = box.y; y < box.y + box.heightPx; y++) {
    for (let x = box.x; x < box.x + box.widthPx; x++) {
      const at = y * regionPx + x;
      const u = frame.u(x, y);
      const seam = middle + FOLLOWS_SEAM * (seamV(mouth, Math.min(1, Math.max(-1, u))) - middle);
      alpha.data[at] = paint(u * toMm, (frame.v(x, y) - seam) * toMm, painted);
      colour.data.set(painted, 3 * at);
    }
  }
  return { colour, alpha };
}

function drawnUpperTeeth(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  const gum = scale(style.lip, [0.75, 0.75, 0.75]);
  const layer = paintLayer(geometry, box, (x, y, colour) => {
    const tooth = toothAlpha(UPPER_ROW, x, y, geometry.pixelsPerMm);
    // A dim background behind the crowns, so that the lines between them are not black.
    const isOnArch = y < BITE_MM - 1.5 - BITE_ARCH_PER_MM * x * x && Math.abs(x) < 28 && y > -12;
    const ground = isOnArch ? 0.92 : 0;
    const alpha = Math.max(tooth.alpha, ground);
    const round = Math.exp(-((x / 24) ** 2));
    const brightness = tooth.alpha * tooth.shade + (1 - tooth.alpha) * 0.7 * round;
    const gumShare = smoothstep(-y - 9.2 - 0.03 * Math.abs(x));
    const light = 1 + style.lightPerMm * x;
    for (let i = 0; i < 3; i++) colour[i] = light * (style.tooth[i] * brightness * (1 - gumShare) + gum[i] * gumShare);
    return alpha;
  });
  return soften(layer, geometry, style);
}

function drawnLowerTeeth(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  if (style.isFlat) return paintLayer(geometry, box, () => 0);
  const tint = tintInTone(LOWER_TINT, style.tone);
  const layer = paintLayer(geometry, box, (x, y, colour) => {
    const tooth = toothAlpha(LOWER_ROW, x, y, geometry.pixelsPerMm);
    const isOnArch = y > LOWER_EDGE_MM + 0.6 && Math.abs(x) < 20 && y < 10;
    const brightness = (tooth.alpha * tooth.shade + (1 - tooth.alpha) * 0.45) * (1 + style.lightPerMm * x);
    for (let i = 0; i < 3; i++) colour[i] = style.tooth[i] * tint[i] * brightness;
    return Math.max(tooth.alpha, isOnArch ? 0.8 : 0);
  });
  return soften(layer, geometry, style);
}

/** Makes lower teeth from the photographed upper ones, upside down and narrower, so that colour and light match. */
function mirroredTeeth(
  upper: InteriorLayer,
  geometry: FaceGeometry,
  style: PortraitStyle,
  box: PixelBox,
): InteriorLayer {
  const tint = tintInTone(LOWER_TINT, style.tone);
  const { mouth, pixelsPerMm } = geometry;
  const { frame } = mouth;
  const toMm = frame.unitPx / pixelsPerMm;
  const from = toRgbImage(upper.colour);
  const sampled = new Float32Array(3);
  return paintLayer(geometry, box, (x, y, colour) => {
    const u = x / toMm / LOWER_WIDTH;
    const depthMm = y - LOWER_EDGE_MM - 0.01 * x * x;
    const v = mouth.innerLower(u) - 2 / frame.unitPx - depthMm / toMm;
    const shownV = Math.max(v, mouth.innerUpper(u) + 2 / frame.unitPx);
    sampleBilinear(from, frame.toX(u, shownV), frame.toY(u, shownV), "replicate", sampled, 0);
    const gumward = 1 - 0.35 * smoothstep(depthMm / 9);
    for (let i = 0; i < 3; i++) colour[i] = sampled[i] * tint[i] * gumward;
    const edge = Math.min(1, Math.max(0, (depthMm * pixelsPerMm) / 1.6 + 0.5));
    return edge * smoothstep((0.9 * mouth.innerHalfWidth - Math.abs(u)) / 0.15);
  });
}

function drawnTongue(geometry: FaceGeometry, style: PortraitStyle, box: PixelBox): InteriorLayer {
  const light = luma(style.skin) / 190;
  const tissue = inTone(FLESH, style.tone);
  const redder = tintInTone(REDDER, style.tone);
  const flesh: Rgb = [0, 1, 2].map(
    (i) => 0.5 * style.lip[i] * redder[i] + 0.5 * Math.min(1.1, 0.35 + 0.65 * light) * tissue[i],
  ) as [number, number, number];
  return paintLayer(geometry, box, (x, y, colour) => {
    const across = x / 16;
    const down = (y - 2) / 6;
    const distance = Math.hypot(across, down < 0 ? down : 0.3 * down);
    // A furrow along the middle, round sides, and a moist sheen on the tip.
    const furrow = 0.09 * Math.exp(-((x / 1.6) ** 2)) * smoothstep((down + 0.8) / 0.6);
    const sheen = 0.12 * Math.exp(-((x / 6) ** 2) - ((down + 0.55) / 0.25) ** 2);
    const even = 0.86 - 0.16 * Math.min(1, Math.max(-1, -down)) - furrow - 0.2 * across ** 2;
    const shade = even * (1 + style.lightPerMm * x);
    for (let i = 0; i < 3; i++) colour[i] = flesh[i] * shade + 255 * sheen * Math.min(1, light);
    return Math.min(1, Math.max(0, ((1 - distance) * 17 * geometry.pixelsPerMm) / 3));
  });
}

/** The photo's own teeth. Hidden parts are filled with the colours at the edges of the visible ones. */
function photographedTeeth(region: RgbImage, geometry: FaceGeometry, inset: TeethInset, box: PixelBox): InteriorLayer {
  const { mouth, regionPx } = geometry;
  const { frame } = mouth;
  const pixel = 1 / frame.unitPx;
  const colour = createPlane(regionPx, regionPx, 3);
  const alpha = createPlane(regionPx, regionPx);
  const hidden: number[] = [];
  const toMm = frame.unitPx / geometry.pixelsPerMm;
  const middleBite = mouth.innerLower(0) - inset.bottom;
  for (let y = box.y; y < box.y + box.heightPx; y++) {
    for (let x = box.x; x < box.x + box.widthPx; x++) {
      const at = y * regionPx + x;
      const u = frame.u(x, y);
      const v = frame.v(x, y);
      const top = mouth.innerUpper(u) + inset.top;
      const bottom = mouth.innerLower(u) - inset.bottom;
      // In a smile the lower lip hides the edges of the side teeth; an open mouth shows them.
      const bite = Math.max(bottom, middleBite - (BITE_ARCH_PER_MM * (u * toMm) ** 2) / toMm);
      const shownV = Math.min(Math.max(v, top), Math.max(bottom, top));
      sampleBilinear(region, frame.toX(u, shownV), frame.toY(u, shownV), "replicate", colour.data, 3 * at);
      if (v < top || v > bottom) hidden.push(at);
      const aboveBottom = Math.min(1, Math.max(0, ((bite + 0.5 * pixel - v) * frame.unitPx) / 2 + 0.5));
      alpha.data[at] = aboveBottom * smoothstep((0.97 * mouth.innerHalfWidth - Math.abs(u)) / 0.12);
    }
  }
  const blurred = gaussianBlur(colour, 1.5);
  for (const at of hidden) colour.data.set(blurred.data.subarray(3 * at, 3 * at + 3), 3 * at);
  return { colour, alpha };
}

/** Blurs as the portrait does, with colours weighted by their alpha. */
function soften(layer: InteriorLayer, geometry: FaceGeometry, { tone }: PortraitStyle): InteriorLayer {
  const sigma = Math.max(0.35 * geometry.pixelsPerMm, tone.blurPx);
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
