// Displacements of head rotation, tilt and shift, and of the brows.
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import type { DisplacementBasis } from "./displacement-basis.ts";

const YAW_RAD = (10 * Math.PI) / 180;
const ROLL_RAD = (5 * Math.PI) / 180;
/** Shift at tx or ty = 1, as a share of the face's width. */
const SHIFT_SHARE = 0.03;
/** Share of the region over which motion fades out, so that the region's edge matches the still canvas. */
const EDGE_SHARE = 0.07;

/** Adds yaw, pitch, roll, tx and ty at one cell. `depthPx` and `follow` of the cell as HeadDepth gives them. */
export function addHeadMotion(
  basis: DisplacementBasis,
  geometry: FaceGeometry,
  row: number,
  column: number,
  motion: { depthPx: number; follow: number },
): void {
  const { oval } = geometry;
  const shift = SHIFT_SHARE * oval.widthPx * motion.follow;
  const turn = motion.depthPx * Math.sin(YAW_RAD);
  // The head tilts about the top of the neck.
  const x = basis.xOf(column) - oval.centre.x;
  const y = basis.yOf(row) - (oval.bottomPx + 0.05 * oval.heightPx);
  basis.add("yaw", row, column, turn, 0);
  basis.add("pitch", row, column, 0, turn);
  basis.add("roll", row, column, -y * ROLL_RAD * motion.follow, x * ROLL_RAD * motion.follow);
  basis.add("tx", row, column, shift, 0);
  basis.add("ty", row, column, 0, shift);
}

/** Adds the brows. The lower lids keep still in a blink: a tenth of the opening is not missed, and everything under the
 *  eye, frames of glasses too, stays as it is in the photo. */
export function addUpperFace(basis: DisplacementBasis, geometry: FaceGeometry, row: number, column: number): void {
  const x = basis.xOf(column);
  const y = basis.yOf(row);
  geometry.eyes.forEach((eye) => {
    const { frame } = eye;
    const across = (x - eye.browCentre.x) / (1.5 * frame.unitPx);
    const down = (y - eye.browCentre.y) / (0.85 * frame.unitPx);
    const raise = -0.28 * eye.browShare * Math.exp(-(across ** 2 + down ** 2));
    basis.add("brow", row, column, frame.vectorX(0, raise), frame.vectorY(0, raise));
  });
}

/** 1 inside the region, falling to 0 at its edge. */
export function edgeFade(regionPx: number, x: number, y: number): number {
  const inward = Math.min(x, y, regionPx - 1 - x, regionPx - 1 - y);
  return smoothstep(inward / (EDGE_SHARE * regionPx));
}
