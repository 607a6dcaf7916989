// Monotone cubic interpolation: curves through landmarks without overshoot.

/** An interpolant through (x[i], y[i]), constant outside the range of x. */
export type Curve = (x: number) => number;

/** Piecewise cubic Hermite interpolation that keeps every monotone stretch monotone. `x` strictly increasing, at least
 *  two points. Throws RangeError otherwise. Source: Fritsch and Butland 1984 (slopes), with their three-point rule at
 *  the ends. */
export function pchip(x: ArrayLike<number>, y: ArrayLike<number>): Curve {
  const count = x.length;
  if (count < 2 || y.length !== count) throw new RangeError("interpolation needs two or more points");
  const widths: number[] = [];
  const secants: number[] = [];
  for (let i = 0; i + 1 < count; i++) {
    widths.push(x[i + 1] - x[i]);
    if (!(widths[i] > 0)) throw new RangeError("x must increase strictly");
    secants.push((y[i + 1] - y[i]) / widths[i]);
  }
  const slopes = pointSlopes(widths, secants);
  return (at) => {
    if (!(at > x[0])) return y[0];
    if (at >= x[count - 1]) return y[count - 1];
    let low = 0;
    for (let high = count - 1; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if (x[middle] <= at) low = middle;
      else high = middle;
    }
    const width = widths[low];
    const t = (at - x[low]) / width;
    const s = 1 - t;
    return (
      s * s * (1 + 2 * t) * y[low] +
      t * t * (1 + 2 * s) * y[low + 1] +
      width * t * s * (s * slopes[low] - t * slopes[low + 1])
    );
  };
}

function pointSlopes(widths: number[], secants: number[]): number[] {
  const last = secants.length - 1;
  if (last === 0) return [secants[0], secants[0]];
  const slopes = [endSlope(widths[0], widths[1], secants[0], secants[1])];
  for (let i = 1; i <= last; i++) {
    const before = 2 * widths[i] + widths[i - 1];
    const after = widths[i] + 2 * widths[i - 1];
    const isTurning = secants[i - 1] * secants[i] <= 0;
    slopes.push(isTurning ? 0 : (before + after) / (before / secants[i - 1] + after / secants[i]));
  }
  slopes.push(endSlope(widths[last], widths[last - 1], secants[last], secants[last - 1]));
  return slopes;
}

/** Slope at an end from the two nearest intervals, held back where it would overshoot. */
function endSlope(nearWidth: number, farWidth: number, nearSecant: number, farSecant: number): number {
  const slope = ((2 * nearWidth + farWidth) * nearSecant - nearWidth * farSecant) / (nearWidth + farWidth);
  if (Math.sign(slope) !== Math.sign(nearSecant)) return 0;
  if (Math.sign(nearSecant) !== Math.sign(farSecant) && Math.abs(slope) > 3 * Math.abs(nearSecant))
    return 3 * nearSecant;
  return slope;
}
