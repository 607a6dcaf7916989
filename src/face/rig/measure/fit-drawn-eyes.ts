// Finds the openings of drawn eyes in the picture itself: face networks learned from photographs mark large drawn eyes
// too small, and what a mark leaves out would stay visible when the eye shuts.
import type { RgbImage } from "../../../signal/image/raster.ts";
import { fitPolynomial } from "../../../signal/math/fit-polynomial.ts";
import { median } from "../../../signal/math/statistics.ts";
import { drawnProbability } from "../../portrait/drawn-evidence.ts";
import { type EyePoints, LEFT_EYE, RIGHT_EYE } from "../../portrait/face-points.ts";
import { createEyeFrame, type EyeFrame } from "./eye-frame.ts";
import type { FaceGeometry } from "./face-geometry.ts";
import { luma, type Rgb } from "./rgb.ts";

/** Probability from which a face counts as drawn. Of fifty-six pictures, drawings reach .83 at least, photographs,
 *  paintings and a statue .57 at most. */
const DRAWN = 0.7;
/** All lengths in half widths of the marked eye. |u|, and v above and below its middle, that are looked at; an eye that
 *  reaches their edge is not taken for one. */
const AROUND_U = 1.75;
const AROUND_V = 1.3;
/** Where skin is seen below a drawn eye, however large: distance from the lower margin, and |u|. */
const SKIN_FROM = 0.75;
const SKIN_TO = 1.15;
const SKIN_U = 0.9;
/** RGB distance from the skin's colour at which a pixel is no skin, and how many times the usual distance of skin it is
 *  at least. */
const NO_SKIN = 38;
const NO_SKIN_SPREADS = 3.5;
/** Above the eye it is this multiple of that distance: a lid is shaded or painted up to its crease. */
const NO_LID_SHARE = 1.8;
/** Luma, as a share of the skin's, below which a pixel at the rim of an eye belongs to its line of lashes. */
const LINE_SHARE = 0.5;
/** Thickest line of lashes above an eye. What is dark for longer belongs to an iris. */
const MOST_LINE = 0.25;
/** Pixels over which a line is blended with what is beside it. */
const BLENDED_PX = 1.6;
/** Width of a column. */
const COLUMN_U = 0.06;
/** Height from which a column between its lines is a part of the opening: lashes end in a thin wing. */
const LEAST_OPENING = 0.05;
/** Openings found count if they are this many times as large as the marked ones in the mean of both eyes, or reach so
 *  far below them. Of fifteen drawings, exact marks lie below both, those of a face network above one. */
const LEAST_GROWTH = 1.28;
const LEAST_BELOW = 0.08;
/** No opening grows more, or shrinks more. */
const MOST_GROWTH = 4;
const MOST_SHRUNK = 0.9;
/** How far a margin may lie inside the marked one. */
const INSIDE = 0.12;
/** Margins are curves of this degree; columns this far from one count less. */
const MARGIN_DEGREE = 4;
const MARGIN_SPREAD = 0.03;
/** A narrower opening is no eye. */
const LEAST_COLUMNS = 8;

interface Pixel {
  v: number;
  isDark: boolean;
}

interface Column {
  u: number;
  upper: number;
  lower: number;
}

/** The geometry with the margins and points of both eyes as the picture shows them, or as it was for an eye that is not
 *  seen to be larger than its marks. For drawn faces only: lashes and shadows around a photographed eye are no
 *  eyeball. */
export function fitToDrawnEyes(geometry: FaceGeometry, region: RgbImage): FaceGeometry {
  const [left, right] = geometry.eyes;
  const { centre, widthPx, heightPx } = geometry.oval;
  const box = { centreX: centre.x, centreY: centre.y, widthPx, heightPx };
  if (drawnProbability(region, { box }) < DRAWN) return geometry;
  const found = [fit(left, LEFT_EYE, geometry, region), fit(right, RIGHT_EYE, geometry, region)] as const;
  const known = found.filter((eye) => eye !== null);
  const mean = (of: "growth" | "below") => known.reduce((sum, eye) => sum + eye[of], 0) / known.length;
  if (known.length === 0 || (mean("growth") < LEAST_GROWTH && mean("below") < LEAST_BELOW)) return geometry;
  const points = geometry.points.slice();
  for (const { marks } of known) for (const { index, x, y } of marks) points.set([x, y], 3 * index);
  return { ...geometry, points, eyes: [found[0]?.eye ?? left, found[1]?.eye ?? right] };
}

interface FittedEye {
  eye: EyeFrame;
  /** Its points. */
  marks: { index: number; x: number; y: number }[];
  /** Area of the opening, as a multiple of the marked one's. */
  growth: number;
  /** How far it reaches below the marked one. */
  below: number;
}

function fit(eye: EyeFrame, indices: EyePoints, { points }: FaceGeometry, region: RgbImage): FittedEye | null {
  const skin = skinBelow(eye, region);
  if (!skin) return null;
  const inside = eyeballPixels(eye, region, skin);
  if (!inside) return null;
  const columns = openColumns(inside, eye, region, luma(skin.colour));
  const change = columns.length > 0 ? changeOf(columns, eye) : null;
  if (!change) return null;
  const marks: FittedEye["marks"] = [];
  const [first, last] = [columns[0], columns[columns.length - 1]];
  const place = (index: number, u: number, v: number) => {
    marks.push({ index, x: eye.frame.toX(u, v), y: eye.frame.toY(u, v) });
  };
  const count = indices.upper.length;
  for (let i = 1; i < count - 1; i++) {
    const u = first.u + ((1 - Math.cos((Math.PI * i) / (count - 1))) / 2) * (last.u - first.u);
    place(indices.upper[i], u, valueAt(columns, u, "upper"));
    place(indices.lower[i], u, valueAt(columns, u, "lower"));
  }
  place(indices.upper[0], first.u - COLUMN_U / 2, (first.upper + first.lower) / 2);
  place(indices.upper[count - 1], last.u + COLUMN_U / 2, (last.upper + last.lower) / 2);
  const moved = points.slice();
  for (const { index, x, y } of marks) moved.set([x, y], 3 * index);
  return { eye: createEyeFrame(moved, indices), marks, ...change };
}

/** Middle colour of the skin below an eye, and the RGB distance from it from which a pixel is no skin. */
function skinBelow(eye: EyeFrame, region: RgbImage): { colour: Rgb; noSkin: number } | null {
  const pixels: Rgb[] = [];
  eye.forEachPixelWithin(AROUND_U, region.widthPx, (at, u, v) => {
    const under = v - eye.lower(u);
    if (Math.abs(u) < SKIN_U && under > SKIN_FROM && under < SKIN_TO) pixels.push(colourAt(region, at));
  });
  if (pixels.length === 0) return null;
  const channel = (index: number) => median(pixels.map((pixel) => pixel[index]));
  const colour: Rgb = [channel(0), channel(1), channel(2)];
  const spread = median(pixels.map((pixel) => distance(pixel, colour)));
  return { colour, noSkin: Math.max(NO_SKIN, NO_SKIN_SPREADS * spread) };
}

/** Places of all that is no skin and hangs together with the middle of the eye by more than a thin line; null if it
 *  leaves what is looked at. */
function eyeballPixels(
  eye: EyeFrame,
  region: RgbImage,
  { colour, noSkin }: { colour: Rgb; noSkin: number },
): { at: number; u: number; v: number }[] | null {
  const { widthPx } = region;
  const places = new Map<number, { at: number; u: number; v: number }>();
  eye.forEachPixelWithin(AROUND_U, widthPx, (at, u, v) => {
    const isInside = Math.abs(u) < 0.6 && v > eye.upper(u) && v < eye.lower(u);
    const isOff =
      distance(colourAt(region, at), colour) >
      (Math.abs(u) < 0.85 && v < eye.upper(u) ? NO_LID_SHARE * noSkin : noSkin);
    if (Math.abs(v) < AROUND_V && (isInside || isOff)) {
      places.set(at, { at, u, v });
    }
  });
  const around = [-1, 1, -widthPx, widthPx];
  const thick = new Set<number>();
  for (const at of places.keys()) if (around.every((step) => places.has(at + step))) thick.add(at);
  const queue = [...thick].filter((at) => {
    const { u, v } = places.get(at) as { u: number; v: number };
    return Math.abs(u) < 0.3 && v > eye.upper(u) && v < eye.lower(u);
  });
  const reached = new Set(queue);
  while (queue.length > 0) {
    const at = queue.pop() as number;
    for (const step of around) {
      if (!thick.has(at + step) || reached.has(at + step)) continue;
      reached.add(at + step);
      queue.push(at + step);
    }
  }
  const whole = new Set([...reached].flatMap((at) => [at, ...around.map((step) => at + step)]));
  const found = [...whole].flatMap((at) => places.get(at) ?? []);
  const pixel = 2 / eye.frame.unitPx;
  const isCut = found.some(({ u, v }) => Math.abs(u) > AROUND_U - pixel || Math.abs(v) > AROUND_V - pixel);
  return isCut ? null : found;
}

/** The columns between the corners in which the eyeball is seen, with the margins between the lines of lashes. */
function openColumns(
  inside: readonly { at: number; u: number; v: number }[],
  eye: EyeFrame,
  region: RgbImage,
  skinLuma: number,
): Column[] {
  const byColumn = new Map<number, Pixel[]>();
  for (const { at, u, v } of inside) {
    const column = Math.round(u / COLUMN_U);
    const pixels = byColumn.get(column) ?? [];
    pixels.push({ v, isDark: luma(colourAt(region, at)) < LINE_SHARE * skinLuma });
    byColumn.set(column, pixels);
  }
  const raw = [...byColumn]
    .map(([column, pixels]) => {
      const run = longestRun(pixels, BLENDED_PX / eye.frame.unitPx);
      const [top, bottom] = [run[0].v, run[run.length - 1].v];
      const blended = BLENDED_PX / eye.frame.unitPx;
      return {
        u: column * COLUMN_U,
        top,
        bottom,
        upperLine: lineHeight(run, blended),
      };
    })
    .sort((a, b) => a.u - b.u);
  const blended = BLENDED_PX / eye.frame.unitPx;
  const lines = raw.map(({ upperLine }) => upperLine).filter((height) => height < MOST_LINE);
  const usual = lines.length > 0 ? median(lines) : blended;
  // A shut lid covers the line below the eye, or a rim of the eyeball would be left above it.
  const columns = raw.map(({ u, top, bottom, upperLine }) => ({
    u,
    upper: top + (upperLine < MOST_LINE ? upperLine : usual),
    lower: bottom + blended / 4,
  }));
  // From the middle outwards, up to the first column that is no opening.
  const middle = columns.findIndex(({ u }) => u > -COLUMN_U / 2);
  const isOpen = (index: number) => columns[index].lower - columns[index].upper > LEAST_OPENING;
  if (middle < 0 || !isOpen(middle)) return [];
  let [from, to] = [middle, middle];
  while (from > 0 && isOpen(from - 1)) from--;
  while (to < columns.length - 1 && isOpen(to + 1)) to++;
  return smooth(columns.slice(from, to + 1));
}

/** Margins as smooth curves: irises, creases and strokes that touch a line of lashes make single columns wrong. */
function smooth(columns: readonly Column[]): Column[] {
  if (columns.length < LEAST_COLUMNS) return [];
  const curve = (margin: "upper" | "lower") =>
    fitPolynomial(
      columns.map((column) => ({ x: column.u, y: column[margin] })),
      MARGIN_DEGREE,
      MARGIN_SPREAD,
    );
  const [upper, lower] = [curve("upper"), curve("lower")];
  return columns.map(({ u }) => ({ u, upper: upper(u), lower: lower(u) }));
}

/** The longest part of a column without a gap: a crease above an eye is no part of it. */
function longestRun(pixels: readonly Pixel[], gap: number): Pixel[] {
  const sorted = pixels.toSorted((a, b) => a.v - b.v);
  let [best, run] = [[sorted[0]], [sorted[0]]];
  for (const pixel of sorted.slice(1)) {
    run = pixel.v - run[run.length - 1].v > gap ? [pixel] : [...run, pixel];
    if (run[run.length - 1].v - run[0].v > best[best.length - 1].v - best[0].v) best = run;
  }
  return best;
}

/** Height of the dark line at the first end of a column, past pixels that are blended with the skin. */
function lineHeight(column: readonly Pixel[], blended: number): number {
  const height = (pixel: Pixel) => Math.abs(pixel.v - column[0].v);
  const from = column.findIndex((pixel) => pixel.isDark && height(pixel) < 1.5 * blended);
  if (from < 0) return blended;
  const end = column.slice(from).find(({ isDark }) => !isDark);
  return height(end ?? column[column.length - 1]);
}

/** How the opening differs from the marked one, or null if it does not lie around it or has no eye's size. */
function changeOf(columns: readonly Column[], eye: EyeFrame): { growth: number; below: number } | null {
  const marked = columns
    .filter(({ u }) => Math.abs(u) < 1)
    .map(({ u, upper, lower }) => ({
      above: eye.upper(u) - upper,
      below: lower - eye.lower(u),
      opening: eye.lower(u) - eye.upper(u),
    }));
  const found = columns.reduce((sum, { upper, lower }) => sum + COLUMN_U * (lower - upper), 0);
  const before = marked.reduce((sum, { opening }) => sum + COLUMN_U * opening, 0);
  const growth = found / Math.max(before, 1e-3);
  const below = median(marked.map((column) => column.below));
  const isAround = median(marked.map((column) => column.above)) > -INSIDE && below > -INSIDE;
  return isAround && growth > MOST_SHRUNK && growth < MOST_GROWTH ? { growth, below } : null;
}

/** A margin at u, evened out over its neighbours. */
function valueAt(columns: readonly Column[], u: number, margin: "upper" | "lower"): number {
  const near = columns.filter((column) => Math.abs(column.u - u) < 1.6 * COLUMN_U);
  const nearest = columns.reduce((best, column) => (Math.abs(column.u - u) < Math.abs(best.u - u) ? column : best));
  return near.length > 0 ? median(near.map((column) => column[margin])) : nearest[margin];
}

function colourAt({ data }: RgbImage, at: number): Rgb {
  return [data[3 * at], data[3 * at + 1], data[3 * at + 2]];
}

function distance(a: Rgb, b: Rgb): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
