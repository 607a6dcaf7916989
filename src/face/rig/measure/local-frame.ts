// Coordinates that turn and scale with a feature: origin midway between its corners, u along the line through them.

import { type Curve, pchip } from "../../../signal/math/pchip.ts";
import type { Point } from "../../portrait/face-points.ts";

/** A feature's own coordinates. u = ±1 at its corners; v points down the face in the same unit. */
export class LocalFrame {
  readonly centre: Point;
  /** Pixels of one unit: half the distance of the corners. */
  readonly unitPx: number;
  /** Direction of u in the image, length 1; v is this turned a quarter clockwise. */
  readonly axis: Point;

  /** Throws RangeError if the corners coincide. */
  constructor(leftCorner: Point, rightCorner: Point) {
    const length = Math.hypot(rightCorner.x - leftCorner.x, rightCorner.y - leftCorner.y);
    if (!(length > 1e-6)) throw new RangeError("a frame needs two distinct corners");
    this.centre = { x: (leftCorner.x + rightCorner.x) / 2, y: (leftCorner.y + rightCorner.y) / 2 };
    this.unitPx = length / 2;
    this.axis = { x: (rightCorner.x - leftCorner.x) / length, y: (rightCorner.y - leftCorner.y) / length };
  }

  u(x: number, y: number): number {
    return ((x - this.centre.x) * this.axis.x + (y - this.centre.y) * this.axis.y) / this.unitPx;
  }

  v(x: number, y: number): number {
    return ((y - this.centre.y) * this.axis.x - (x - this.centre.x) * this.axis.y) / this.unitPx;
  }

  toX(u: number, v: number): number {
    return this.centre.x + this.vectorX(u, v);
  }

  toY(u: number, v: number): number {
    return this.centre.y + this.vectorY(u, v);
  }

  /** Horizontal pixels of the vector (u, v). */
  vectorX(u: number, v: number): number {
    return (u * this.axis.x - v * this.axis.y) * this.unitPx;
  }

  /** Vertical pixels of the vector (u, v). */
  vectorY(u: number, v: number): number {
    return (u * this.axis.y + v * this.axis.x) * this.unitPx;
  }

  /** v as a function of u through points of the image, constant beyond the outermost. Points that do not increase in u
   *  are omitted. */
  curve(points: readonly Point[]): Curve {
    const local = points.map(({ x, y }) => ({ u: this.u(x, y), v: this.v(x, y) })).sort((a, b) => a.u - b.u);
    const kept = local.filter((point, index) => index === 0 || point.u - local[index - 1].u > 1e-3);
    return pchip(
      kept.map((point) => point.u),
      kept.map((point) => point.v),
    );
  }
}
