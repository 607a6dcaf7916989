// A surface through values known at scattered points.
import Delaunator from "delaunator";
import { createPlane, type Plane } from "../image/raster.ts";

export interface ScatteredInterpolationOptions {
  /** Point positions as x, y pairs in output pixels; whole numbers are pixel centres. */
  points: ArrayLike<number>;
  /** One value a point. */
  values: ArrayLike<number>;
  widthPx: number;
  heightPx: number;
}

/** Linear interpolation over the Delaunay triangulation of the points, at every output pixel; NaN outside their convex
 *  hull. Throws RangeError if there are not two coordinates a value. */
export function interpolateScattered(options: ScatteredInterpolationOptions): Plane {
  const { points, values, widthPx, heightPx } = options;
  if (points.length !== 2 * values.length) throw new RangeError("every value needs an x and a y");
  const surface = createPlane(widthPx, heightPx);
  surface.data.fill(Number.NaN);
  const { triangles } = new Delaunator(Float64Array.from(points));
  for (let corner = 0; corner < triangles.length; corner += 3) {
    fillTriangle(surface, points, values, triangles[corner], triangles[corner + 1], triangles[corner + 2]);
  }
  return surface;
}

function fillTriangle(
  surface: Plane,
  points: ArrayLike<number>,
  values: ArrayLike<number>,
  first: number,
  second: number,
  third: number,
): void {
  const [x1, y1] = [points[2 * first], points[2 * first + 1]];
  const [x2, y2] = [points[2 * second], points[2 * second + 1]];
  const [x3, y3] = [points[2 * third], points[2 * third + 1]];
  const area = (y2 - y3) * (x1 - x3) + (x3 - x2) * (y1 - y3);
  if (area === 0) return;
  // A hair of tolerance lets neighbouring triangles share their edge, so that no pixel on it stays empty.
  const tolerance = -1e-9;
  const top = Math.max(0, Math.ceil(Math.min(y1, y2, y3)));
  const bottom = Math.min(surface.heightPx - 1, Math.floor(Math.max(y1, y2, y3)));
  const left = Math.max(0, Math.ceil(Math.min(x1, x2, x3)));
  const right = Math.min(surface.widthPx - 1, Math.floor(Math.max(x1, x2, x3)));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= right; x++) {
      const weight1 = ((y2 - y3) * (x - x3) + (x3 - x2) * (y - y3)) / area;
      const weight2 = ((y3 - y1) * (x - x3) + (x1 - x3) * (y - y3)) / area;
      const weight3 = 1 - weight1 - weight2;
      if (weight1 < tolerance || weight2 < tolerance || weight3 < tolerance) continue;
      surface.data[y * surface.widthPx + x] =
        weight1 * values[first] + weight2 * values[second] + weight3 * values[third];
    }
  }
}
