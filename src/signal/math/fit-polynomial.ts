// A polynomial through measured points of which some may be wrong.

/** Rounds in which points far from the curve lose weight. */
const ROUNDS = 6;

/** The curve of a degree through points, in the sense of least squares. A point further from it than `spread` counts
 *  less and less. Throws RangeError if there are no more points than the degree. */
export function fitPolynomial(
  points: readonly { x: number; y: number }[],
  degree: number,
  spread: number,
): (x: number) => number {
  if (points.length <= degree) throw new RangeError("a polynomial needs more points than its degree");
  const xs = points.map(({ x }) => x);
  const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
  const half = Math.max((Math.max(...xs) - Math.min(...xs)) / 2, 1e-9);
  const powers = (x: number) => Array.from({ length: degree + 1 }, (_, power) => ((x - middle) / half) ** power);
  let factors: number[] = [];
  const curve = (x: number) => powers(x).reduce((sum, value, power) => sum + value * factors[power], 0);
  for (let round = 0; round < ROUNDS; round++) {
    const weights = points.map(({ x, y }) => (round === 0 ? 1 : 1 / (1 + ((y - curve(x)) / spread) ** 2)));
    factors = leastSquares(
      points.map(({ x }) => powers(x)),
      points.map(({ y }) => y),
      weights,
    );
  }
  return curve;
}

/** Factors of the columns of `rows` that come nearest to `values`. */
function leastSquares(rows: readonly number[][], values: readonly number[], weights: readonly number[]): number[] {
  const size = rows[0].length;
  const sum = (of: (at: number) => number) => rows.reduce((total, _, at) => total + weights[at] * of(at), 0);
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (_, j) => sum((at) => rows[at][i] * rows[at][j]) + (i === j ? 1e-9 : 0)),
    sum((at) => rows[at][i] * values[at]),
  ]);
  // Positive definite, so no pivoting is needed.
  for (let i = 0; i < size; i++) {
    for (let other = 0; other < size; other++) {
      if (other === i) continue;
      const factor = matrix[other][i] / matrix[i][i];
      for (let j = i; j <= size; j++) matrix[other][j] -= factor * matrix[i][j];
    }
  }
  return matrix.map((row, i) => row[size] / row[i]);
}
