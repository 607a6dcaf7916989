// Smooth lines for the drawn portraits: points in, SVG path data out.

/** A point on the canvas: x to the right and y down, in px. */
export type Point = readonly [x: number, y: number];

/** SVG path data of a Catmull-Rom curve through the points. Never throws; fewer than two points give an empty path. */
export function smoothPath(points: readonly Point[], closed = false): string {
  if (points.length < 2) return "";
  const count = points.length;
  const at = (index: number): Point => {
    const wrapped = closed ? (index + count) % count : Math.min(Math.max(index, 0), count - 1);
    return points[wrapped] as Point;
  };
  const parts = [`M${format(at(0))}`];
  for (let index = 0; index < (closed ? count : count - 1); index++) {
    const [before, from, to, after] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const leave: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6];
    const arrive: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6];
    parts.push(`C${format(leave)} ${format(arrive)} ${format(to)}`);
  }
  return parts.join("") + (closed ? "Z" : "");
}

/** Dense points along the same curve, `steps` for each span, end point included. */
export function sampleCurve(points: readonly Point[], steps = 12): Point[] {
  const sampled: Point[] = [];
  const at = (index: number) => points[Math.min(Math.max(index, 0), points.length - 1)] as Point;
  for (let index = 0; index < points.length - 1; index++) {
    const [a, b, c, d] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    for (let step = 0; step < steps; step++) {
      const t = step / steps;
      const axis = (k: 0 | 1) =>
        0.5 *
        (2 * b[k] +
          (c[k] - a[k]) * t +
          (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k]) * t * t +
          (3 * b[k] - a[k] - 3 * c[k] + d[k]) * t * t * t);
      sampled.push([axis(0), axis(1)]);
    }
  }
  sampled.push(at(points.length - 1));
  return sampled;
}

/** The point at a fraction (0..1) of the length of a polyline. */
export function pointAtFraction(line: readonly Point[], fraction: number): Point {
  const lengths = [0];
  for (let index = 1; index < line.length; index++) {
    lengths.push((lengths[index - 1] as number) + distance(line[index - 1] as Point, line[index] as Point));
  }
  const targetLength = fraction * (lengths.at(-1) as number);
  const next = Math.max(
    1,
    lengths.findIndex((length) => length >= targetLength),
  );
  const [from, to] = [line[next - 1] as Point, line[next] as Point];
  const span = (lengths[next] as number) - (lengths[next - 1] as number);
  return blend(from, to, span > 0 ? (targetLength - (lengths[next - 1] as number)) / span : 0);
}

/** The point at share `t` (0..1) of the way from one point to another. */
export function blend(from: Point, to: Point, t: number): Point {
  return [from[0] + (to[0] - from[0]) * t, from[1] + (to[1] - from[1]) * t];
}

/** Distance in px. */
export function distance(a: Point, b: Point): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** `count` numbers from `from` to `to`, both included. */
export function linspace(from: number, to: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1));
}

function format(point: Point): string {
  return `${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
}
