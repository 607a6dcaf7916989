// The few SVG elements that the portraits are made of.
import { type Point, smoothPath } from "./curves.ts";

/** Attributes of an element; numbers are written with at most two decimals. */
export type Attributes = Record<string, string | number>;

/** An element as text. Content must be SVG text already. */
export function element(name: string, attributes: Attributes, content = ""): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => `${key}="${typeof value === "number" ? Number(value.toFixed(2)) : value}"`)
    .join(" ");
  return content ? `<${name} ${written}>${content}</${name}>` : `<${name} ${written}/>`;
}

/** A smooth closed shape. */
export function shape(points: readonly Point[], fill: string, more: Attributes = {}): string {
  return element("path", { d: smoothPath(points, true), fill, ...more });
}

/** A smooth open line with round ends. */
export function line(points: readonly Point[], stroke: string, widthPx: number, more: Attributes = {}): string {
  return element("path", {
    d: smoothPath(points),
    fill: "none",
    stroke,
    "stroke-width": widthPx,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    ...more,
  });
}

/** An ellipse. */
export function ellipse(centre: Point, rx: number, ry: number, fill: string, more: Attributes = {}): string {
  return element("ellipse", { cx: centre[0], cy: centre[1], rx, ry, fill, ...more });
}

/** A group. */
export function group(content: string, attributes: Attributes): string {
  return element("g", attributes, content);
}

/** Filter reference for a blur of one of the radii in BLURS. */
export function blurred(radiusPx: (typeof BLURS)[number]): Attributes {
  return { filter: `url(#blur${radiusPx})` };
}

/** Standard deviations of the blurs that every portrait defines. */
const BLURS = [1, 2, 4, 8, 16, 30] as const;

/** Definitions of the blurs; the filter region is the whole canvas. */
export function blurDefinitions(canvasPx: number): string {
  return BLURS.map((radius) =>
    element(
      "filter",
      { id: `blur${radius}`, filterUnits: "userSpaceOnUse", x: 0, y: 0, width: canvasPx, height: canvasPx },
      element("feGaussianBlur", { stdDeviation: radius }),
    ),
  ).join("");
}

/** A clip of the given id along a closed curve. */
export function clip(id: string, points: readonly Point[]): string {
  return element("clipPath", { id }, element("path", { d: smoothPath(points, true) }));
}

/** A vertical gradient of evenly spaced colours. */
export function verticalGradient(id: string, colours: readonly string[]): string {
  return element("linearGradient", { id, x1: 0, y1: 0, x2: 0, y2: 1 }, stops(colours));
}

/** A radial gradient from the middle outwards. */
export function radialGradient(id: string, colours: readonly string[], more: Attributes = {}): string {
  return element("radialGradient", { id, ...more }, stops(colours));
}

function stops(colours: readonly string[]): string {
  return colours
    .map((colour, index) => element("stop", { offset: index / (colours.length - 1), "stop-color": colour }))
    .join("");
}
