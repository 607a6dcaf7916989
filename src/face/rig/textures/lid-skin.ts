// The skin of a shut eye, in the place where it is seen once the lid is down.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { inpaint } from "../../../signal/image/inpaint.ts";
import { createPlane, cropPlane, type PixelBox, type Plane } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { clampTo, type EyeFrame, lidTravelAt } from "../measure/eye-frame.ts";
import { luma, type Rgb } from "../measure/rgb.ts";
import { createSkinAround, type SkinAround } from "../measure/skin-around-eye.ts";

/** Share of the lid's height, from the margin up, over which drawn skin fades into the photo's, and up to which it is
 *  all drawn. In the open eye, crease, lashes, make-up and the socket's shadow are folded there. */
const DRAWN_SHARE = 0.95;
const ALL_DRAWN_SHARE = 0.15;
/** Least height of drawn skin in half eye widths, where a rim leaves little. */
const LEAST_DRAWN = 0.2;
/** |u| from which drawn skin ends, over how much it fades, and how high it is there: past the corners, lashes and
 *  make-up end in a dark wing, of which a part would look like a second line of lashes. */
const WING_FROM = 1.12;
const WING_U = 0.33;
const WING_ABOVE = 0.45;
/** How far under the lower margin drawn skin reaches, and over which part of that it fades, px. */
const BELOW_PX = 1.8;
const SOFT_BELOW_PX = 1.3;
/** |u| and the distance from the margins that are looked at, in half eye widths. */
const AROUND_U = 1.7;
const AROUND_V = 1.5;
/** |u| from which and up to which drawn skin passes into a membrane through the skin around the corner: there bands
 *  above and below lie too far from it. */
const CORNER_FROM = 0.6;
const CORNER_TO = 1.1;
/** Skin this close to the eye has lashes and wet rims in it, and this close to something else it is mixed with that. */
const LASHES_BELOW = 0.2;
const LASHES_PAST = 1.15;
const EDGE_PX = 2;
/** Past the corners, drawn skin is no lighter than the lightest skin within this distance, in half eye widths: what is
 *  dark all around lies in shadow, and is no wing of lashes. */
const WING_NEAR = 0.2;
/** Pixels by which the photo is smoothed before the lightest skin is looked for. */
const GRAIN_PX = 1;
/** How far a lid's light goes from that of the skin above it to that of the skin below, at its fold and at its margin,
 *  where the skin above is the darker one: it lies in the shadow of the brow or is painted, and a shut lid curves out
 *  of both. And where it is the lighter one: skin below lies in the shadow of lashes and bags. */
const FROM_SHADE = [0.2, 0.8] as const;
const FROM_LIGHT = [0.15, 0.5] as const;
/** Levels by which a lid may be lighter and darker than both bands of skin above and below it. */
const BEYOND_SKIN = 2;
/** Darkening at the fold, a little above the margin of the open eye, and towards the corners, where the eyeball curves
 *  away. */
const FOLD_SHADE = 0.05;
const FOLD_ABOVE = 0.12;
const FOLD_HEIGHT = 0.09;
const CORNER_SHADE = 0.03;

/** Colours of a shut eye. */
export interface LidSkin {
  /** RGB 0..255 at a pixel of the region. */
  at(x: number, y: number, out: Float32Array): void;
}

/** Share, 0..1, by which a shut eye shows drawn skin at (u, v) instead of the open eye's photo. */
export function redrawnShare(eye: EyeFrame, u: number, v: number): number {
  const past = smoothstep((Math.abs(u) - WING_FROM) / WING_U);
  const reach = eye.lidReach(u);
  const wing = WING_ABOVE * smoothstep(Math.abs(u), 0.9, 1.1);
  const above = (1 - past) * Math.max(DRAWN_SHARE * reach, Math.min(LEAST_DRAWN, reach), wing);
  const over = eye.upper(u) - v;
  const underPx = (v - eye.lower(u)) * eye.frame.unitPx;
  const upright = smoothstep((above - over) / Math.max((1 - ALL_DRAWN_SHARE) * above, 0.02));
  return upright * smoothstep((BELOW_PX - underPx) / SOFT_BELOW_PX) * (1 - past);
}

/** Skin from that above one eye to that below it, column by column. `photo`: the region, RGB 0..255. `isUnderRim`:
 *  above the eye lie the rim of a lens and its shadow, so only skin below it is taken. */
export function createLidSkin(photo: Plane, eye: EyeFrame, isUnderRim: boolean): LidSkin {
  const box = boxAround(photo, eye);
  const own = cropPlane(photo, box);
  const around = createSkinAround(photo, eye, isUnderRim);
  const smooth = gaussianBlur(own, GRAIN_PX);
  const brightness = Float32Array.from({ length: box.widthPx * box.heightPx }, (_, at) => lumaAt(smooth, at));
  const near = extremeNear(brightness, box, Math.round(WING_NEAR * eye.frame.unitPx), Math.max);
  const corners = membrane(smooth, brightness, { box, eye, around });
  const skin = createPlane(box.widthPx, box.heightPx, 3);
  for (let row = 0; row < box.heightPx; row++) {
    for (let column = 0; column < box.widthPx; column++) {
      const at = row * box.widthPx + column;
      const [x, y] = [box.x + column, box.y + row];
      const u = eye.frame.u(x, y);
      const { above, below, range } = around.at(u);
      paint(skin, at, eye, { u, v: eye.frame.v(x, y), above, below });
      mix(skin, corners, at, smoothstep(Math.abs(u), CORNER_FROM, CORNER_TO));
      const [darkest, lightest] = range;
      const within = smoothstep((1.15 - Math.abs(u)) / 0.2);
      limit(skin, at, within, { darkest: darkest - BEYOND_SKIN, lightest: lightest + BEYOND_SKIN });
      limit(skin, at, smoothstep((Math.abs(u) - 0.8) / 0.4), { darkest: 0, lightest: near[at] });
    }
  }
  return {
    at(x, y, out) {
      const column = clampTo(Math.round(x) - box.x, 0, box.widthPx - 1);
      const row = clampTo(Math.round(y) - box.y, 0, box.heightPx - 1);
      const from = 3 * (row * box.widthPx + column);
      for (let channel = 0; channel < 3; channel++) out[channel] = skin.data[from + channel];
    },
  };
}

function boxAround({ widthPx, heightPx }: Plane, { frame }: EyeFrame): PixelBox {
  const reach = Math.hypot(AROUND_U, AROUND_V) * frame.unitPx;
  const x = clampTo(Math.floor(frame.centre.x - reach), 0, widthPx - 2);
  const y = clampTo(Math.floor(frame.centre.y - reach), 0, heightPx - 2);
  const right = clampTo(Math.ceil(frame.centre.x + reach), x + 2, widthPx);
  const bottom = clampTo(Math.ceil(frame.centre.y + reach), y + 2, heightPx);
  return { x, y, widthPx: right - x, heightPx: bottom - y };
}

/** Skin through all that is no skin, or will be drawn. */
function membrane(
  photo: Plane,
  brightness: Float32Array,
  { box, eye, around }: { box: PixelBox; eye: EyeFrame; around: SkinAround },
): Plane {
  const darkest = extremeNear(brightness, box, EDGE_PX, Math.min);
  const lightest = extremeNear(brightness, box, EDGE_PX, Math.max);
  const holes = createPlane(box.widthPx, box.heightPx);
  for (let at = 0; at < holes.data.length; at++) {
    const x = box.x + (at % box.widthPx);
    const y = box.y + Math.floor(at / box.widthPx);
    const [u, v] = [eye.frame.u(x, y), eye.frame.v(x, y)];
    const isEye = Math.abs(u) < LASHES_PAST && v > eye.upper(u) && v < eye.lower(u) + LASHES_BELOW;
    const isSkin = darkest[at] > around.darkest && lightest[at] < around.lightest;
    holes.data[at] = isEye || !isSkin || redrawnShare(eye, u, v) > 0 ? 1 : 0;
  }
  return inpaint(photo, holes);
}

/** The least or the greatest value within `radiusPx` of each pixel along both axes. */
function extremeNear(
  plane: Float32Array,
  { widthPx, heightPx }: PixelBox,
  radiusPx: number,
  choose: (first: number, second: number) => number,
): Float32Array {
  const along = (values: Float32Array, stepPx: number, length: number) =>
    values.map((value, at) => {
      const position = Math.floor(at / stepPx) % length;
      const from = at - Math.min(position, radiusPx) * stepPx;
      const to = at + Math.min(length - 1 - position, radiusPx) * stepPx;
      let chosen = value;
      for (let other = from; other <= to; other += stepPx) chosen = choose(chosen, values[other]);
      return chosen;
    });
  return along(along(plane, 1, widthPx), widthPx, heightPx);
}

function mix(target: Plane, from: Plane, at: number, share: number): void {
  for (let i = 3 * at; i < 3 * at + 3; i++) target.data[i] += share * (from.data[i] - target.data[i]);
}

/** Colours and shades one pixel of the lid. */
function paint(
  skin: Plane,
  at: number,
  eye: EyeFrame,
  { u, v, above, below }: { u: number; v: number; above: Rgb; below: Rgb },
): void {
  const upper = eye.upper(u);
  const margin = upper + lidTravelAt(eye, u);
  const top = upper - eye.lidReach(u);
  const down = smoothstep((v - top) / Math.max(margin - top, 0.02));
  const [atFold, atMargin] = luma(above) < luma(below) ? FROM_SHADE : FROM_LIGHT;
  const share = atFold + (atMargin - atFold) * down;
  const sides = 1 - smoothstep((Math.abs(u) - 0.7) / 0.3);
  const lid = smoothstep((v - top) / (upper + 0.1 - top)) * smoothstep((margin + 0.1 - v) / 0.1);
  const fold = Math.exp(-(((v - upper + FOLD_ABOVE) / FOLD_HEIGHT) ** 2)) * sides;
  const lit = 1 - FOLD_SHADE * fold - CORNER_SHADE * lid * Math.min(1, u * u);
  for (let channel = 0; channel < 3; channel++) {
    skin.data[3 * at + channel] = lit * (above[channel] + share * (below[channel] - above[channel]));
  }
}

/** Limits the brightness of one pixel, by a share 0..1 of what it is beyond the limits. */
function limit(
  skin: Plane,
  at: number,
  share: number,
  { darkest, lightest }: { darkest: number; lightest: number },
): void {
  const level = Math.max(1, lumaAt(skin, at));
  const factor = clampTo(level, Math.max(1, darkest), Math.max(1, lightest)) / level;
  for (let i = 3 * at; i < 3 * at + 3; i++) skin.data[i] *= 1 + share * (factor - 1);
}

function lumaAt({ data }: Plane, at: number): number {
  return luma([data[3 * at], data[3 * at + 1], data[3 * at + 2]]);
}
