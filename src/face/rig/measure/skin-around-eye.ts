// Colour and light of the skin above and below one eye, column by column.
import type { Plane } from "../../../signal/image/raster.ts";
import { median } from "../../../signal/math/statistics.ts";
import { clampTo, type EyeFrame } from "./eye-frame.ts";
import { luma, type Rgb } from "./rgb.ts";

/** Columns are looked at up to this |u|, this far apart, and each takes pixels of half that on both its sides. */
const MOST_U = 1.5;
const COLUMN_U = 0.1;
/** Over which u columns are evened out: light changes slowly around an eye, and lashes, hair and wrinkles do not. */
const EVEN_U = 0.18;
const NARROWLY_EVEN_U = 0.1;
/** The bands that are looked at, by their distances from the margins in half eye widths: below the eye past its
 *  lashes, and above its fold. Hair of a low brow is no skin, and is left out by its brightness. */
const BELOW_FROM = 0.14;
const BELOW_TO = 0.45;
const ABOVE_FROM = 0.25;
const ABOVE_TO = 0.62;
/** Of a band's pixels by brightness, the middle of those in this part counts: the darker ones have lashes, make-up,
 *  a fold or hair in them, the lightest ones shine. */
const DARKER_OMITTED = 0.3;
const LIGHTER_OMITTED = 0.2;
/** Brightness at which a pixel is skin, as shares of the middle of its own band in the columns around it. Brows,
 *  lashes and frames lie below, whites of the eye and reflections above; light may change across an eye. */
const DARKEST_HERE = 0.72;
const LIGHTEST_HERE = 1.3;
/** The same as shares of the middle of the darker and of the lighter band of the whole eye. */
const DARKEST_SKIN = 0.68;
const LIGHTEST_SKIN = 1.25;
/** Darker than this share of the skin below the eye is hair, however much of a column it fills. */
const LEAST_BELOW = 0.35;
/** Neighbours on each side that say what the middle of a band is. */
const NEIGHBOURS = 2;
/** Darker than this share of the skin below the eye is hair above it, and not the shadow under a brow that is painted
 *  or lit strongly. */
const LEAST_ABOVE = 0.3;
/** Share of a band that must be skin for it to be known. */
const LEAST_SKIN = 0.3;
/** The middle of an eye, by |u|: its bands say how light skin is. */
const MIDDLE_U = 0.8;

export interface SkinAround {
  /** Brightness 0..255 from which and up to which a pixel near the eye is skin. */
  darkest: number;
  lightest: number;
  /** RGB 0..255 of the skin above and below the eye at u, and the brightness of the darker and of the lighter one. */
  at(u: number): { above: Rgb; below: Rgb; range: [number, number] };
}

interface Column {
  u: number;
  above: Rgb[];
  below: Rgb[];
}

/** `photo`: the region, RGB 0..255. `isUnderRim`: above the eye lie a rim and its shadow, and only skin below it
 *  counts. */
export function createSkinAround(photo: Plane, eye: EyeFrame, isUnderRim: boolean): SkinAround {
  const columns = columnsOf(photo, eye, isUnderRim);
  const middle = columns.filter(({ u }) => Math.abs(u) <= MIDDLE_U);
  const under = median(middle.flatMap(({ below }) => below.map(luma)));
  const leastAbove = LEAST_ABOVE * under;
  const above = middle.flatMap(({ above }) => above.map(luma));
  const skinAbove = above.filter((brightness) => brightness > leastAbove);
  const isKnown = skinAbove.length > LEAST_SKIN * above.length;
  const over = isKnown ? median(skinAbove) : under;
  const skinAt = (band: "above" | "below", least: number) => {
    const middles = columns.map((column) => {
      const skin = column[band].map(luma).filter((brightness) => brightness > least);
      return skin.length > LEAST_SKIN * column[band].length ? median(skin) : null;
    });
    return evenedOut(
      columns.map((column, index) => ({ u: column.u, colour: skinOf(column[band], middleNear(middles, index)) })),
    );
  };
  const belowAt = skinAt("below", LEAST_BELOW * under);
  const aboveAt = isKnown ? skinAt("above", leastAbove) : null;
  // Of all pixels of a column, narrowly: a lid is no lighter and no darker than what lies next to it.
  const extremeAt = (extreme: (...values: number[]) => number) =>
    evenedOut(
      columns.map(({ u, above, below }) => {
        const middles = [above, below].filter((band) => band.length > 0).map((band) => median(band.map(luma)));
        const level = extreme(...middles);
        return { u, colour: middles.length > 0 ? [level, level, level] : null };
      }),
      NARROWLY_EVEN_U,
    );
  const [darkestAt, lightestAt] = [extremeAt(Math.min), extremeAt(Math.max)];
  const rangeAt = (u: number): [number, number] => [darkestAt?.(u)[0] ?? under, lightestAt?.(u)[0] ?? under];
  return {
    darkest: DARKEST_SKIN * Math.min(under, over),
    lightest: LIGHTEST_SKIN * Math.max(under, over),
    at(u) {
      const below = belowAt?.(u) ?? aboveAt?.(u) ?? [under, under, under];
      return { above: aboveAt?.(u) ?? below, below, range: rangeAt(u) };
    },
  };
}

/** Pixels of both bands, column by column. */
function columnsOf(photo: Plane, eye: EyeFrame, isUnderRim: boolean): Column[] {
  const count = Math.round((2 * MOST_U) / COLUMN_U) + 1;
  const columns = Array.from({ length: count }, (_, index): Column => {
    return { u: index * COLUMN_U - MOST_U, above: [], below: [] };
  });
  eye.forEachPixelWithin(MOST_U + COLUMN_U / 2, photo.widthPx, (at, u, v) => {
    const column = columns[clampTo(Math.round((u + MOST_U) / COLUMN_U), 0, count - 1)];
    const under = v - eye.lower(u);
    const over = eye.upper(u) - v;
    const isBelow = under > BELOW_FROM && under < BELOW_TO;
    const isAbove = !isUnderRim && over > ABOVE_FROM && over < ABOVE_TO;
    if (!isBelow && !isAbove) return;
    const colour: Rgb = [photo.data[3 * at], photo.data[3 * at + 1], photo.data[3 * at + 2]];
    (isBelow ? column.below : column.above).push(colour);
  });
  return columns;
}

/** Middle brightness of a band in the columns around one, or null if none of them is known. */
function middleNear(middles: readonly (number | null)[], index: number): number | null {
  const near = middles.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
  const known = near.filter((middle) => middle !== null);
  return middles[index] !== null && known.length > 0 ? median(known) : null;
}

/** Mean colour of a band's skin, or null where there is too little. `middle`: the band's brightness here. */
function skinOf(band: readonly Rgb[], middle: number | null): Rgb | null {
  if (middle === null) return null;
  const isSkin = (brightness: number) => brightness > DARKEST_HERE * middle && brightness < LIGHTEST_HERE * middle;
  const skin = band.filter((colour) => isSkin(luma(colour))).sort((a, b) => luma(a) - luma(b));
  if (skin.length === 0 || skin.length < LEAST_SKIN * band.length) return null;
  const from = Math.floor(DARKER_OMITTED * skin.length);
  const chosen = skin.slice(from, Math.max(from + 1, Math.ceil((1 - LIGHTER_OMITTED) * skin.length)));
  const mean = (channel: number) => chosen.reduce((sum, colour) => sum + colour[channel], 0) / chosen.length;
  return [mean(0), mean(1), mean(2)];
}

/** A smooth curve through the known columns, or null if there are none. */
function evenedOut(columns: readonly { u: number; colour: Rgb | null }[], evenU = EVEN_U): ((u: number) => Rgb) | null {
  const known = columns.flatMap(({ u, colour }) => (colour ? [{ u, colour }] : []));
  if (known.length === 0) return null;
  const nodes = columns.map(({ u }) => weightedMean(known, u, evenU));
  const last = nodes.length - 1;
  return (u) => {
    const place = clampTo((u + MOST_U) / COLUMN_U, 0, last);
    const from = Math.min(Math.floor(place), last - 1);
    return mixed(nodes[from], nodes[from + 1], place - from);
  };
}

function mixed(first: Rgb, second: Rgb, share: number): Rgb {
  return [
    first[0] + share * (second[0] - first[0]),
    first[1] + share * (second[1] - first[1]),
    first[2] + share * (second[2] - first[2]),
  ];
}

/** Mean of the columns around u, the nearest if all are far. */
function weightedMean(known: readonly { u: number; colour: Rgb }[], u: number, evenU: number): Rgb {
  const sums = [0, 0, 0, 0];
  for (const column of known) {
    const weight = Math.exp(-(((column.u - u) / evenU) ** 2)) + 1e-6 / (1 + (column.u - u) ** 4);
    for (let channel = 0; channel < 3; channel++) sums[channel] += weight * column.colour[channel];
    sums[3] += weight;
  }
  return [sums[0] / sums[3], sums[1] / sums[3], sums[2] / sums[3]];
}
