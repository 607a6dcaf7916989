// How a portrait renders what it shows: white balance, how much colour, how sharp. What is drawn anew, such as teeth
// and tongue, takes all three, so that a monochrome photograph stays monochrome, a painting keeps its varnish, and a
// small portrait gets no crisp mouth.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type RgbImage } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { median } from "../../../signal/math/statistics.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { luma, type Rgb } from "./rgb.ts";

export interface PortraitTone {
  /** Share of a usual portrait's colour, 0 (one hue, such as grey or sepia) to 1. */
  saturation: number;
  /** What a neutral grey of luma 1 looks like in the portrait. */
  grey: Rgb;
  /** Luma of the whites of the eyes, 0..255: how bright a white thing in the face is. */
  white: number;
  /** Blur of an edge in the portrait, standard deviation, px. */
  blurPx: number;
}

/** Detail of one pixel against detail of two, in a sharp portrait; in one enlarged four times it is SOFT. */
const SHARP = 0.87;
const SOFT = 0.5;
/** Blur of either. */
const SHARP_PX = 0.7;
const SOFT_PX = 2;

/** Pixels this dark or bright have no reliable colour. */
const DARK = 30;
const BRIGHT = 245;
/** How far colours over a face are from its most common hue, median, as a share of its luma: .01 in a
 *  black-and-white photograph, .02 on a statue, .044 and more on people, photographed or painted. */
const ONE_HUE = 0.014;
const MANY_HUES = 0.042;
/** The whites of the eyes: the brightest share of each opening, without reflections. */
const WHITE_FROM = 0.7;
const WHITE_TO = 0.95;
/** The whites of eyes are pink and yellow by themselves, by this much red over and blue under their luma. Only what
 *  goes beyond is the portrait's. */
const OWN_RED = 0.2;
const OWN_BLUE = 0.16;

/** Measured on the face of a region. */
export function measureTone(region: RgbImage, geometry: FaceGeometry): PortraitTone {
  const chromas = faceChromas(region, geometry);
  const hue = { red: median(chromas.map(({ red }) => red)), blue: median(chromas.map(({ blue }) => blue)) };
  const brightness = median(chromas.map((chroma) => chroma.luma));
  const off = chromas.map(({ red, blue, luma }) => (Math.hypot(red - hue.red, blue - hue.blue) * luma) / brightness);
  const saturation = smoothstep((median(off) - ONE_HUE) / (MANY_HUES - ONE_HUE));
  const whites = eyeWhites(region, geometry);
  const eye = {
    red: beyond(median(whites.map(({ red }) => red)), OWN_RED),
    blue: beyond(median(whites.map(({ blue }) => blue)), OWN_BLUE),
  };
  // In a portrait of one hue everything has it. In others the whites of the eyes show what the light does to grey.
  const mix = (channel: "red" | "blue") => hue[channel] + saturation * (eye[channel] - hue[channel]);
  return {
    saturation,
    grey: greyOf(mix("red"), mix("blue")),
    white: median(whites.map((white) => white.luma)),
    blurPx: blurOf(region, geometry),
  };
}

/** A colour as the portrait would render it. */
export function inTone(colour: Rgb, { saturation, grey }: PortraitTone): Rgb {
  const brightness = luma(colour);
  const channel = (i: 0 | 1 | 2) => grey[i] * (brightness + saturation * (colour[i] - brightness));
  return [channel(0), channel(1), channel(2)];
}

/** Factors per channel as the portrait would render them. */
export function tintInTone(tint: Rgb, { saturation }: PortraitTone): Rgb {
  const brightness = luma(tint);
  const channel = (factor: number) => brightness + saturation * (factor - brightness);
  return [channel(tint[0]), channel(tint[1]), channel(tint[2])];
}

/** Estimated from how much of the face's detail is as fine as a pixel. */
function blurOf(region: RgbImage, geometry: FaceGeometry): number {
  const { regionPx } = geometry;
  const lumas = createPlane(regionPx, regionPx);
  for (let at = 0; at < lumas.data.length; at++) {
    lumas.data[at] = luma([region.data[3 * at], region.data[3 * at + 1], region.data[3 * at + 2]]);
  }
  const once = gaussianBlur(lumas, 1);
  const twice = gaussianBlur(lumas, 2);
  let fine = 0;
  let coarse = 1e-6;
  for (let at = 0; at < lumas.data.length; at++) {
    if (!isInFace(at, geometry)) continue;
    fine += Math.abs(lumas.data[at] - once.data[at]);
    coarse += Math.abs(once.data[at] - twice.data[at]);
  }
  const softness = Math.min(1, Math.max(0, (SHARP - fine / coarse) / (SHARP - SOFT)));
  return SHARP_PX + (SOFT_PX - SHARP_PX) * softness ** 2;
}

interface Chroma {
  /** Red and blue less luma, as shares of the luma. */
  red: number;
  blue: number;
  luma: number;
}

function chromaAt({ data }: RgbImage, at: number): Chroma | null {
  const colour = [data[3 * at], data[3 * at + 1], data[3 * at + 2]] as const;
  const brightness = luma(colour);
  if (brightness < DARK || Math.max(...colour) > BRIGHT) return null;
  return { red: colour[0] / brightness - 1, blue: colour[2] / brightness - 1, luma: brightness };
}

/** Of every third pixel of the face oval. */
function faceChromas(region: RgbImage, geometry: FaceGeometry): Chroma[] {
  const { regionPx } = geometry;
  const chromas: Chroma[] = [];
  for (let at = 0; at < regionPx * regionPx; at += 3) {
    const chroma = isInFace(at, geometry) ? chromaAt(region, at) : null;
    if (chroma) chromas.push(chroma);
  }
  return chromas.length > 0 ? chromas : [{ red: 0, blue: 0, luma: 128 }];
}

/** Whether a pixel, by its place in the region's data, lies in the face oval. */
function isInFace(at: number, { oval, regionPx }: FaceGeometry): boolean {
  const across = ((at % regionPx) - oval.centre.x) / (oval.widthPx / 2);
  const down = (Math.floor(at / regionPx) - oval.centre.y) / (oval.heightPx / 2);
  return Math.hypot(across, down) < 1;
}

/** Of the whites of both eyes; the face's own if no eye is open. */
function eyeWhites(region: RgbImage, geometry: FaceGeometry): Chroma[] {
  const whites = geometry.eyes.flatMap((eye) => {
    const opening: Chroma[] = [];
    eye.forEachPixelWithin(1, geometry.regionPx, (at, u, v) => {
      const inset = 1.5 / eye.frame.unitPx;
      if (v < eye.upper(u) + inset || v > eye.lower(u) - inset) return;
      const chroma = chromaAt(region, at);
      if (chroma) opening.push(chroma);
    });
    opening.sort((first, second) => first.luma - second.luma);
    return opening.slice(Math.floor(WHITE_FROM * opening.length), Math.ceil(WHITE_TO * opening.length));
  });
  return whites.length > 0 ? whites : faceChromas(region, geometry);
}

/** The colour of luma 1 with this chroma. */
function greyOf(red: number, blue: number): Rgb {
  const green = -(0.299 * red + 0.114 * blue) / 0.587;
  return [1 + red, 1 + green, 1 + blue];
}

/** What is left of a value after its own share. */
function beyond(value: number, own: number): number {
  return Math.sign(value) * Math.max(0, Math.abs(value) - own);
}
