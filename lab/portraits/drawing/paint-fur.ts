// Short fur: many strokes that follow a direction field, inside a clip.
import { mix } from "./colour.ts";
import type { Point } from "./curves.ts";
import { line } from "./svg.ts";

export interface FurOptions {
  count: number;
  lengthPx: number;
  widthPx: number;
  /** Colour of the fur at a point. */
  colourAt(point: Point): string;
  /** Direction in which the fur lies at a point, radians. */
  directionAt(point: Point): number;
  /** A point to grow from; undefined leaves this one out. */
  pick(): Point | undefined;
  random(): number;
}

/** Strokes of fur, from the top down so that lower ones lie over upper ones. */
export function paintFur({ count, lengthPx, widthPx, colourAt, directionAt, pick, random }: FurOptions): string {
  const roots = Array.from({ length: count }, pick).filter((point) => point !== undefined);
  roots.sort((a, b) => a[1] - b[1]);
  return roots
    .map((root) => {
      const angle = directionAt(root) + (random() - 0.5) * 0.5;
      const length = lengthPx * (0.6 + random() * 0.7);
      const tip: Point = [root[0] + Math.cos(angle) * length, root[1] + Math.sin(angle) * length];
      const tint = random();
      const colour = mix(colourAt(root), tint > 0.5 ? "#fff3df" : "#1c0a04", Math.abs(tint - 0.5) * 0.42);
      return line([root, tip], colour, widthPx, { opacity: 0.5 });
    })
    .join("");
}
