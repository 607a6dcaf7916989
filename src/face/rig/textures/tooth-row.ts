// A row of drawn teeth, mirrored about the middle of the mouth.

/** All lengths in mm; y points down from the seam of the closed lips. */
export interface ToothRow {
  /** Edges between teeth on one side, from the middle outwards. */
  edgesMm: readonly number[];
  /** y of each crown's biting edge. */
  biteMm: readonly number[];
  lengthMm: number;
  /** 1: crowns end at the bottom (upper teeth); −1: at the top. */
  direction: 1 | -1;
  /** Bend of the row: the bite moves by this × x². */
  archPerMm: number;
  /** Radius of the corners of a crown. */
  cornerMm: number;
}

/** Half the gap between neighbours. */
const HALF_GAP_MM = 0.03;

/** Coverage of a tooth at (x, y), 0..1, and its brightness, about 0.3..1: darker at its sides, near the gum, and at the
 *  back. */
export function toothAlpha(
  row: ToothRow,
  xMm: number,
  yMm: number,
  pixelsPerMm: number,
): { alpha: number; shade: number } {
  let alpha = 0;
  let shade = 1;
  const side = Math.abs(xMm);
  for (let tooth = 0; tooth < row.biteMm.length; tooth++) {
    const middle = (row.edgesMm[tooth] + row.edgesMm[tooth + 1]) / 2;
    const halfWidth = (row.edgesMm[tooth + 1] - row.edgesMm[tooth]) / 2 - HALF_GAP_MM;
    const past = (yMm - (row.biteMm[tooth] + row.archPerMm * middle * middle)) * row.direction;
    const beside = Math.abs(side - middle) - halfWidth;
    // Signed distance to a crown with round corners at the biting edge; positive outside.
    const cornerX = beside + row.cornerMm;
    const cornerY = past + row.cornerMm;
    const front = cornerY > 0 ? Math.hypot(Math.max(cornerX, 0), cornerY) - row.cornerMm : beside;
    const distance = Math.max(front, -past - row.lengthMm);
    const covered = Math.min(1, Math.max(0, (-distance * pixelsPerMm) / 1.3 + 0.5));
    if (covered <= alpha) continue;
    alpha = covered;
    const edge = Math.min(1, Math.abs(side - middle) / halfWidth);
    const root = Math.min(1, Math.max(0, -past / row.lengthMm));
    const tip = Math.min(1, Math.max(0, 1 + past / 1.2));
    // A crown is round, slightly darker at its thin tip, and in shadow further back in the mouth.
    const round = (1 - 0.05 * edge ** 2 - 0.2 * edge ** 8) * (1 - 0.1 * root) * (1 - 0.05 * tip);
    shade = round * Math.exp(-((xMm / 24) ** 2));
  }
  return { alpha, shade };
}
