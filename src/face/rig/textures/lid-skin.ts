// The skin of a shut eye, in the place where it is seen once the lid is down.
import { gaussianBlur } from "../../../signal/image/gaussian-blur.ts";
import { inpaint } from "../../../signal/image/inpaint.ts";
import { createPlane, cropPlane, type PixelBox, type Plane } from "../../../signal/image/raster.ts";
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { median } from "../../../signal/math/statistics.ts";
import { clampTo, type EyeFrame, lidTravelAt } from "../measure/eye-frame.ts";
import { luma } from "../measure/rgb.ts";

/** Share of the lid's height, from the margin up, that a shut eye shows as smooth skin. In the open eye, crease, lashes
 *  and make-up are folded there. */
const SMOOTHED_SHARE = 0.6;
/** The same in half eye widths, where a rim leaves little skin. */
const LEAST_SMOOTHED = 0.2;
/** |u| from which drawn skin ends, over how much it fades, and how high it is there: past the corners, lashes and
 *  make-up end in a dark wing, of which a part would look like a second line of lashes. */
const WING_FROM = 1.1;
const WING_U = 0.35;
const WING_ABOVE = 0.45;
/** How far under the lower margin drawn skin reaches, and over which part of that it fades. */
const BELOW = 0.12;
const SOFT_BELOW = 0.06;
/** Skin this close to the eye, and past its corners, has lashes and wet rims in it, and does not count. */
const LASHES_BELOW = 0.2;
const LASHES_PAST = 1.15;
/** |u| and the distance from the margins that are looked at, in half eye widths. */
const AROUND_U = 1.7;
const AROUND_V = 1.5;
/** Bands of skin below the eye and above its fold, by their distances from the margins, and their |u|. */
const BELOW_FROM = 0.16;
const BELOW_TO = 0.5;
const ABOVE_FROM = 0.26;
const ABOVE_TO = 0.6;
const BAND_U = 0.8;
/** Brightness at which a pixel is skin, as shares of the darker and the lighter of the two bands. Brows, lashes and
 *  frames lie below, whites of the eye and reflections above. */
const DARKEST_SKIN = 0.68;
const LIGHTEST_SKIN = 1.2;
/** Where the band above is darker than this share of the one below, it is hair; a frame, behind a lens. Between the two
 *  shares lies the shadow under a brow that is painted or lit strongly. */
const LEAST_ABOVE = 0.3;
const LEAST_ABOVE_UNDER_RIM = 0.5;
/** Skin this close to something else is not taken, px. */
const EDGE_PX = 2;
/** Past the corners, drawn skin is no lighter than the lightest skin within this distance, in half eye widths: what is
 *  dark all around lies in shadow, and is no wing of lashes. */
const WING_NEAR = 0.2;
/** Pixels by which the skin's surroundings are smoothed first, so that no wrinkle runs into the lid. */
const RIM_SIGMA_PX = 1;
/** A lid's skin is thin: a little more coloured than the skin around it, in the portrait's own hue, and darker. */
const LID_SATURATION = 1.04;
const LID_BRIGHTNESS = 0.995;
/** Darkening at the fold, a little above the margin of the open eye, and towards the corners, where the eyeball curves
 *  away. */
const FOLD_SHADE = 0.06;
const FOLD_ABOVE = 0.12;
const FOLD_HEIGHT = 0.09;
const CORNER_SHADE = 0.04;

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
  const above = (1 - past) * Math.max(SMOOTHED_SHARE * reach, Math.min(LEAST_SMOOTHED, reach), wing);
  const below = (1 - past) * BELOW;
  const over = eye.upper(u) - v;
  const under = v - eye.lower(u);
  const upright = smoothstep((above - over) / Math.max(0.7 * above, 0.02)) * smoothstep((below - under) / SOFT_BELOW);
  return upright * (1 - past);
}

/** A membrane through the skin around one eye, lit and coloured as that skin. `photo`: the region, RGB 0..255.
 *  `isUnderRim`: above the eye lie the rim of a lens and its shadow, so only skin below and beside it is taken. */
export function createLidSkin(photo: Plane, eye: EyeFrame, isUnderRim: boolean): LidSkin {
  const box = boxAround(photo, eye);
  const own = cropPlane(photo, box);
  const place = placesIn(box, eye);
  const bands = bandsOfSkin(own, eye, place, isUnderRim ? LEAST_ABOVE_UNDER_RIM : LEAST_ABOVE);
  const [darkest, lightest] = [DARKEST_SKIN * bands.low, LIGHTEST_SKIN * bands.high];
  // Without grain: beside a brow or a rim, skin is already mixed with it.
  const brightness = lumaOf(gaussianBlur(own, RIM_SIGMA_PX));
  const darkestNear = extremeNear(brightness, EDGE_PX, Math.min);
  const lightestNear = extremeNear(brightness, EDGE_PX, Math.max);
  const aroundWing = extremeNear(brightness, Math.round(WING_NEAR * eye.frame.unitPx), Math.max);
  const holes = createPlane(box.widthPx, box.heightPx);
  for (let at = 0; at < holes.data.length; at++) {
    const { u, v } = place(at);
    const isSkin = darkestNear[at] > darkest && lightestNear[at] < lightest;
    const isEye = Math.abs(u) < LASHES_PAST && v > eye.upper(u) && v < eye.lower(u) + LASHES_BELOW;
    const isShaded = isUnderRim && v < eye.upper(u);
    holes.data[at] = isEye || isShaded || redrawnShare(eye, u, v) > 0 || !isSkin ? 1 : 0;
  }
  const smooth = inpaint(own, holes);
  const skin = inpaint(gaussianBlur(smooth, RIM_SIGMA_PX), holes);
  const light = correction(skin, eye, place, bands);
  for (let at = 0; at < holes.data.length; at++) {
    shade(skin, at, eye, { ...place(at), light });
    darkenWing(skin, at, Math.abs(place(at).u), aroundWing[at]);
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

type PlaceOf = (at: number) => { u: number; v: number };

function boxAround({ widthPx, heightPx }: Plane, { frame }: EyeFrame): PixelBox {
  const reach = Math.hypot(AROUND_U, AROUND_V) * frame.unitPx;
  const x = clampTo(Math.floor(frame.centre.x - reach), 0, widthPx - 2);
  const y = clampTo(Math.floor(frame.centre.y - reach), 0, heightPx - 2);
  const right = clampTo(Math.ceil(frame.centre.x + reach), x + 2, widthPx);
  const bottom = clampTo(Math.ceil(frame.centre.y + reach), y + 2, heightPx);
  return { x, y, widthPx: right - x, heightPx: bottom - y };
}

function placesIn(box: PixelBox, { frame }: EyeFrame): PlaceOf {
  return (at) => {
    const x = box.x + (at % box.widthPx);
    const y = box.y + Math.floor(at / box.widthPx);
    return { u: frame.u(x, y), v: frame.v(x, y) };
  };
}

/** Median brightness of the darker and of the lighter of the two bands of skin next to the eye. */
function bandsOfSkin(own: Plane, eye: EyeFrame, place: PlaceOf, leastAbove: number): { low: number; high: number } {
  const below: number[] = [];
  const above: number[] = [];
  for (let at = 0; at < own.widthPx * own.heightPx; at++) {
    const { u, v } = place(at);
    if (Math.abs(u) > BAND_U) continue;
    const under = v - eye.lower(u);
    const over = eye.upper(u) - v;
    if (under > BELOW_FROM && under < BELOW_TO) below.push(lumaAt(own, at));
    if (over > ABOVE_FROM && over < Math.min(ABOVE_TO, eye.lidReach(u))) above.push(lumaAt(own, at));
  }
  const under = median(below);
  const skinAbove = above.filter((brightness) => brightness > leastAbove * under);
  const over = skinAbove.length > 0.3 * above.length ? median(skinAbove) : under;
  return { low: Math.min(under, over), high: Math.max(under, over) };
}

/** The factor that brings the mean brightness of the lid between the darker band and the mean of both: what is left of
 *  lashes at the rim of the opening would otherwise darken all of it, and a lid lies in the shadow of its brow. */
function correction(skin: Plane, eye: EyeFrame, place: PlaceOf, { low, high }: { low: number; high: number }): number {
  let [sum, count] = [0, 0];
  for (let at = 0; at < skin.widthPx * skin.heightPx; at++) {
    const { u, v } = place(at);
    if (Math.abs(u) > BAND_U || v < eye.upper(u) || v > eye.lower(u)) continue;
    sum += lumaAt(skin, at);
    count++;
  }
  return sum > 0 ? clampTo(sum / count, (3 * low + high) / 4, (low + high) / 2) / (sum / count) : 1;
}

function lumaOf(image: Plane): Plane {
  const { widthPx, heightPx } = image;
  const brightness = Float32Array.from({ length: widthPx * heightPx }, (_, at) => lumaAt(image, at));
  return createPlane(widthPx, heightPx, 1, brightness);
}

/** The least or the greatest value within `radiusPx` of each pixel along both axes. */
function extremeNear(
  { data, widthPx, heightPx }: Plane,
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
  return along(along(data, 1, widthPx), widthPx, heightPx);
}

/** Colours and shades one pixel of the membrane. */
function shade(skin: Plane, at: number, eye: EyeFrame, { u, v, light }: { u: number; v: number; light: number }): void {
  if (redrawnShare(eye, u, v) === 0) return;
  const upper = eye.upper(u);
  const margin = upper + lidTravelAt(eye, u);
  const sides = 1 - smoothstep((Math.abs(u) - 0.7) / 0.3);
  // 0 at the upper end of the smooth skin and under the eye, 1 on the lid.
  const top = upper - SMOOTHED_SHARE * eye.lidReach(u);
  const lid = smoothstep((v - top) / (upper + 0.1 - top)) * smoothstep((margin + 0.1 - v) / 0.1);
  const fold = Math.exp(-(((v - upper + FOLD_ABOVE) / FOLD_HEIGHT) ** 2)) * sides;
  const lit = 1 + lid * (light * LID_BRIGHTNESS - 1) - FOLD_SHADE * fold - CORNER_SHADE * lid * Math.min(1, u * u);
  const grey = lumaAt(skin, at);
  const saturation = 1 + lid * (LID_SATURATION - 1);
  for (let channel = 0; channel < 3; channel++) {
    const i = 3 * at + channel;
    skin.data[i] = lit * (grey + saturation * (skin.data[i] - grey));
  }
}

/** Towards a corner and past it, limits one pixel of the membrane to a brightness. `u`: distance from the middle. */
function darkenWing(skin: Plane, at: number, u: number, lightest: number): void {
  const past = smoothstep((u - 0.6) / 0.5);
  const factor = Math.min(1, lightest / Math.max(1, lumaAt(skin, at)));
  for (let i = 3 * at; i < 3 * at + 3; i++) skin.data[i] *= 1 + past * (factor - 1);
}

function lumaAt({ data }: Plane, at: number): number {
  return luma([data[3 * at], data[3 * at + 1], data[3 * at + 2]]);
}
