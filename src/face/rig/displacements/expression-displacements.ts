// Displacements of cheeks, lower lids, brows and nose: what an expression moves besides the lips. Lengths are in eye
// distances unless said otherwise.
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import { eyeOpening } from "../measure/eye-frame.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { mouthShareBelowGlasses } from "../measure/glasses.ts";
import type { DisplacementBasis } from "./displacement-basis.ts";
import { bellAround, type FaceFrame, SIDES } from "./face-frame.ts";

const CHEEK_RISE = 0.06;
const CHEEK_OUTWARDS = 0.012;
/** How far a lower lid rises, in half eye widths, and how far below it skin follows; behind glasses, where rims keep
 *  their shape, less far. */
const LID_RISE = 0.25;
const LID_ABOVE = 0.28;
const LID_BELOW = 0.75;
const LID_BELOW_IN_GLASSES = 0.3;
const BROW_RISE = 0.09;
const BROW_TOGETHER = 0.045;
const BROW_TOGETHER_DOWN = 0.014;
const NOSE_RISE = 0.06;
const NOSE_OUTWARDS = 0.014;

/** Adds the movements at one cell of the head's grid. */
export function addExpressions(
  basis: DisplacementBasis,
  geometry: FaceGeometry,
  face: FaceFrame,
  row: number,
  column: number,
): void {
  const x = basis.xOf(column);
  const y = basis.yOf(row);
  const place = face.at(x, y);
  const rims = mouthShareBelowGlasses(geometry, x, y);
  const add = (input: Parameters<DisplacementBasis["add"]>[0], across: number, down: number) => {
    const { dx, dy } = face.toPixels({ across, down });
    basis.add(input, row, column, dx, dy);
  };
  SIDES.forEach((side, index) => {
    const eye = geometry.eyes[index];
    const cheek = rims * bellAround(place, face.cheeks[index], 0.27, 0.2);
    add("cheeks", side * CHEEK_OUTWARDS * cheek, -CHEEK_RISE * cheek);

    const inner = eye.browShare * bellAround(place, face.browsInner[index], 0.17, 0.2);
    const outer = eye.browShare * bellAround(place, face.browsOuter[index], 0.2, 0.2);
    add("browInner", 0, -BROW_RISE * inner);
    add("browOuter", 0, -BROW_RISE * outer);
    const near = eye.browShare * bellAround(place, face.browsInner[index], 0.15, 0.15);
    // Skin on the midline stays in the middle.
    const fromMidline = smoothstep((side * place.across) / 0.09);
    add("browsTogether", -side * BROW_TOGETHER * near * fromMidline, BROW_TOGETHER_DOWN * near);

    const wing = bellAround(place, face.noseWings[index], 0.13, 0.16);
    const root = eye.browShare * bellAround(place, face.browsInner[index], 0.16, 0.16);
    add("noseWrinkle", side * NOSE_OUTWARDS * wing, -NOSE_RISE * wing + BROW_TOGETHER_DOWN * root);
  });
  addLowerLids(basis, geometry, row, column);
}

/** The margin of a lower lid and the skin below it rise; the middle of the eye stays. */
function addLowerLids(basis: DisplacementBasis, geometry: FaceGeometry, row: number, column: number): void {
  const below = geometry.glasses ? LID_BELOW_IN_GLASSES : LID_BELOW;
  for (const eye of geometry.eyes) {
    const u = eye.frame.u(basis.xOf(column), basis.yOf(row));
    const v = eye.frame.v(basis.xOf(column), basis.yOf(row));
    const along = Math.max(0, 1 - (u / 1.3) ** 2);
    if (along === 0 || eye.lidTravel === 0) continue;
    const within = Math.min(0.99, Math.max(-0.99, u));
    const margin = eye.lower(within);
    // At the corners, too, it ends softly.
    const reach = Math.max(LID_ABOVE, 0.55 * eyeOpening(eye, within));
    const above = smoothstep((v - margin + reach) / reach);
    const under = Math.exp(-((Math.max(0, v - margin) / below) ** 2));
    const rise = -LID_RISE * along * above * under;
    basis.add("lowerLids", row, column, eye.frame.vectorX(0, rise), eye.frame.vectorY(0, rise));
  }
}
