// Colour and outline of the upper lids.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { createPlane, type Plane, type RgbImage, toPlane } from "../../../signal/image/raster.ts";
import { sampleBilinear } from "../../../signal/image/sample-bilinear.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { percentile } from "../../../signal/math/statistics.ts";
import { clampTo, type EyeFrame, shutPlace } from "../measure/eye-frame.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { luma, type Rgb, scale } from "../measure/rgb.ts";
import { createLidSkin, redrawnShare } from "./lid-skin.ts";
import { softEdge } from "./lip-textures.ts";

/** Pixels by which the lid extends past the marked margin, because the marks are at the roots of the lashes: in the
 *  middle, and at the corners, where the skin below must keep still. */
const LASH_PX = 0.8;
const LASH_AT_CORNER_PX = 0.3;
/** Offsets below the marked margin at which lashes are searched. */
const LASH_OFFSETS_PX = [-2, -1, 0, 0.7];
/** |u| up to which a lid is rendered: past the corners, where lashes end in a dark wing that must disappear when the
 *  eye closes. */
const LID_HALF_WIDTH = 1.45;
/** The same behind spectacles, because of their rims. */
const LID_HALF_WIDTH_IN_GLASSES = 1.15;
/** Height over which a lid's upper edge fades. */
const TOP_FADE = 0.025;
/** The line of lashes on a shut eye: its middle above the margin, its height (and the least in px), in half eye widths,
 *  and how much of the skin it covers. */
const LASH_MIDDLE = 0.015;
const LASH_HEIGHT = 0.05;
const LEAST_LASH_PX = 0.9;
const LASH_COVER = 0.9;
/** Lashes are at least this much darker than the skin of their lid. */
const LASH_BRIGHTNESS = 0.55;
/** Steps across an eye at which the colour of its lashes is taken, and over how many it is evened out. */
const LASH_COLUMNS = 48;
const LASH_SPREAD = 4;
/** Scale of the skin grain, px. */
const GRAIN_SIGMA_PX = 2;

/** All of the region's size. */
export interface LidTextures {
  /** RGB 0..255: the photo with the lid's margin extended over the eyeball. */
  openColour: Plane;
  /** The same for closed lids: unfolded skin, and the line of lashes. */
  closedColour: Plane;
  /** 0..1, 1 on the lid of the left and of the right eye in the image. */
  alphas: readonly [Plane, Plane];
}

export function createLidTextures(region: RgbImage, geometry: FaceGeometry): LidTextures {
  const { regionPx } = geometry;
  const halfWidth = lidHalfWidth(geometry);
  const openColour = toPlane(region);
  const alphas = [createPlane(regionPx, regionPx), createPlane(regionPx, regionPx)] as const;
  const closedColour = toPlane(region);
  geometry.eyes.forEach((eye, side) => {
    const { data } = alphas[side];
    if (eye.lidTravel === 0) return;
    const { frame } = eye;
    const pixel = 1 / frame.unitPx;
    eye.forEachPixelWithin(halfWidth, regionPx, (at, u, v) => {
      const upper = eye.upper(u);
      const corner = smoothstep((Math.abs(u) - 0.55) / 0.35);
      const margin = upper + (LASH_PX + corner * (LASH_AT_CORNER_PX - LASH_PX)) * pixel;
      const sides = smoothstep((halfWidth - Math.abs(u)) / 0.15);
      const within = sides * smoothstep((v - (upper - eye.lidReach(u))) / TOP_FADE);
      // Past the corner the lid also covers the area below the margin, so that the wing of lashes can be painted over.
      const past = smoothstep((Math.abs(u) - 1) / 0.06) * smoothstep((0.3 - v + upper) / 0.1);
      data[at] = Math.max(softEdge((margin - v) * frame.unitPx), past) * within;
      if (v > upper - 1.5 * pixel && v < eye.lower(u) + 0.5 && Math.abs(u) < 1.02) {
        carryLashes(region, eye, u, openColour, at);
      }
    });
  });
  const grain = grainOf(region);
  for (const eye of geometry.eyes) paintClosedLid(eye, geometry, { region, closedColour, grain });
  return { openColour, closedColour, alphas };
}

function lidHalfWidth({ glasses }: FaceGeometry): number {
  return glasses ? LID_HALF_WIDTH_IN_GLASSES : LID_HALF_WIDTH;
}

/** Writes what a shut eye shows to the places of the photo from which the lid's shift brings it down. */
function paintClosedLid(
  eye: EyeFrame,
  geometry: FaceGeometry,
  { region, closedColour, grain }: { region: RgbImage; closedColour: Plane; grain: RgbSampler },
): void {
  if (eye.lidTravel === 0) return;
  const { frame } = eye;
  const skin = createLidSkin(toPlane(region), eye, geometry.glasses !== null);
  const lashes = lashColours(region, eye);
  const shown = new Float32Array(3);
  const speckle = new Float32Array(3);
  const lashHeight = Math.max(LASH_HEIGHT, LEAST_LASH_PX / frame.unitPx);
  eye.forEachPixelWithin(lidHalfWidth(geometry), geometry.regionPx, (at, u, v) => {
    const upper = eye.upper(u);
    const seenV = shutPlace(eye, u, v);
    const share = redrawnShare(eye, u, Math.min(seenV, Math.max(v, eye.lower(u))));
    if (share === 0) return;
    skin.at(frame.toX(u, seenV), frame.toY(u, seenV), shown);
    // Grain of the skin as far below the eye as this is above it, less where the lid stretches it.
    const belowV = eye.lower(clampTo(u, -1, 1)) + 0.3 + (upper - v);
    grain(frame.toX(u, belowV), frame.toY(u, belowV), speckle);
    const stretch = (shutPlace(eye, u, v + 1 / frame.unitPx) - seenV) * frame.unitPx;
    const grainShare = 1 / Math.max(1, stretch);
    const across = smoothstep((1.05 - Math.abs(u)) / 0.2);
    const above = Math.max(0, upper - LASH_MIDDLE - v) / lashHeight;
    const lash = LASH_COVER * across * Math.exp(-(above ** 2));
    const lashColour = lashes(u, shown);
    for (let channel = 0; channel < 3; channel++) {
      const i = 3 * at + channel;
      const lid =
        closedColour.data[i] + share * (shown[channel] + grainShare * speckle[channel] - closedColour.data[i]);
      closedColour.data[i] = lid + lash * (lashColour[channel] - lid);
    }
  });
}

/** Colour of the lashes by u, evened out, because between lashes the photo shows skin or the white of the eye. */
function lashColours(region: RgbImage, eye: EyeFrame): (u: number, skin: Float32Array) => Rgb {
  const darkest = createPlane(LASH_COLUMNS, 1, 3);
  for (let column = 0; column < LASH_COLUMNS; column++) {
    carryLashes(region, eye, (2 * (column + 0.5)) / LASH_COLUMNS - 1, darkest, column);
  }
  const colours = Array.from({ length: LASH_COLUMNS }, (_, column): Rgb => {
    const near = Array.from({ length: 2 * LASH_SPREAD + 1 }, (_, i) =>
      clampTo(column + i - LASH_SPREAD, 0, LASH_COLUMNS - 1),
    );
    const channel = (offset: number) =>
      percentile(
        near.map((at) => darkest.data[3 * at + offset]),
        35,
      );
    return [channel(0), channel(1), channel(2)];
  });
  return (u, skin) => {
    const colour = colours[clampTo(Math.floor(((u + 1) / 2) * LASH_COLUMNS), 0, LASH_COLUMNS - 1)];
    const most = LASH_BRIGHTNESS * luma([skin[0], skin[1], skin[2]]);
    const factor = Math.min(1, most / Math.max(1, luma(colour)));
    return scale(colour, [factor, factor, factor]);
  };
}

type RgbSampler = (x: number, y: number, out: Float32Array) => void;

/** Samples the details of an image that are finer than `GRAIN_SIGMA_PX`. */
function grainOf(region: RgbImage): RgbSampler {
  const plane = toPlane(region);
  const smooth = gaussianBlur(plane, GRAIN_SIGMA_PX);
  const { widthPx, heightPx } = plane;
  return (x, y, out) => {
    const column = clampTo(Math.round(x), 0, widthPx - 1);
    const row = clampTo(Math.round(y), 0, heightPx - 1);
    const at = 3 * (row * widthPx + column);
    for (let channel = 0; channel < 3; channel++) {
      // Lines and hairs are not grain.
      out[channel] = clampTo(plane.data[at + channel] - smooth.data[at + channel], -8, 8);
    }
  };
}

/** Writes the colour of the lashes above u: the darkest near the marked margin, because marks may lie partly on the
 *  eyeball, and its white would be visible along a closed lid. */
function carryLashes(region: RgbImage, { frame, upper }: EyeFrame, u: number, target: Plane, at: number): void {
  const sampled = new Float32Array(3);
  let darkest = Number.POSITIVE_INFINITY;
  for (const offsetPx of LASH_OFFSETS_PX) {
    const v = upper(u) + offsetPx / frame.unitPx;
    sampleBilinear(region, frame.toX(u, v), frame.toY(u, v), "replicate", sampled, 0);
    const brightness = luma([sampled[0], sampled[1], sampled[2]]);
    if (brightness >= darkest) continue;
    darkest = brightness;
    target.data.set(sampled, 3 * at);
  }
}
