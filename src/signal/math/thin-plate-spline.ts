// Thin-plate spline: a smooth warp that maps given points to given targets.

/** x and y. */
export type PlanePoint = readonly [number, number];

/** A warp that takes each source to its target, exactly when `stiffness` is 0, nearly when it is small. Sources must
 *  not all lie on a line and must differ. Throws RangeError where the equations have no single solution. */
export function thinPlateSpline(
  sources: readonly PlanePoint[],
  targets: readonly PlanePoint[],
  stiffness: number,
): (point: PlanePoint) => PlanePoint {
  const count = sources.length;
  const size = count + 3;
  // Rows: kernel and affine part; the last two columns are the targets.
  const rows = Array.from({ length: size }, () => new Float64Array(size + 2));
  sources.forEach(([x, y], index) => {
    const row = rows[index] as Float64Array;
    sources.forEach(([otherX, otherY], other) => {
      row[other] = kernel(Math.hypot(x - otherX, y - otherY)) + (index === other ? stiffness : 0);
    });
    row.set([1, x, y], count);
    row.set(targets[index] as PlanePoint, size);
    [1, x, y].forEach((value, axis) => {
      (rows[count + axis] as Float64Array)[index] = value;
    });
  });
  solve(rows, size);
  const weight = (index: number, axis: number) => (rows[index] as Float64Array)[size + axis] as number;
  return ([x, y]) => {
    const value = (axis: number) =>
      sources.reduce(
        (sum, [sourceX, sourceY], index) => sum + weight(index, axis) * kernel(Math.hypot(x - sourceX, y - sourceY)),
        weight(count, axis) + weight(count + 1, axis) * x + weight(count + 2, axis) * y,
      );
    return [value(0), value(1)];
  };
}

function kernel(radius: number): number {
  return radius > 0 ? radius * radius * Math.log(radius) : 0;
}

/** Gauss-Jordan elimination with row exchange, in place; the solution ends in the last two columns. */
function solve(rows: Float64Array[], size: number): void {
  for (let column = 0; column < size; column++) {
    let best = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(rows[row]?.[column] as number) > Math.abs(rows[best]?.[column] as number)) best = row;
    }
    const pivotRow = rows[best] as Float64Array;
    if (Math.abs(pivotRow[column] as number) < 1e-12) throw new RangeError("points do not determine a warp");
    rows[best] = rows[column] as Float64Array;
    rows[column] = pivotRow;
    const pivot = pivotRow[column] as number;
    for (let index = column; index < size + 2; index++) pivotRow[index] = (pivotRow[index] as number) / pivot;
    for (const row of rows) {
      const factor = row[column] as number;
      if (row === pivotRow || factor === 0) continue;
      for (let index = column; index < size + 2; index++) {
        row[index] = (row[index] as number) - factor * (pivotRow[index] as number);
      }
    }
  }
}
