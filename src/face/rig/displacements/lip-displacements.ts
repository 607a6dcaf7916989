// Displacements of the mouth parameters for the two layers that meet at the lips.
import { smoothstep } from "../../../signal/math/smoothstep.ts";
import type { RigInputName } from "../../rig-graph/rig-inputs.ts";
import type { FaceGeometry } from "../measure/face-geometry.ts";
import { seamV, UPPER_LIP_SHARE } from "../measure/mouth-frame.ts";
import { smileTakenBack } from "../rest-pose.ts";
import type { DisplacementBasis } from "./displacement-basis.ts";

/** `head`: upper lip and everything above and beside; `jaw`: lower lip, chin and the skin that follows them. */
export type LipLayer = "head" | "jaw";

const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));
const bell = (value: number): number => Math.exp(-(value ** 2));

/** Share of the rounding that a rest pose without any smile already contains. */
const ROUNDED_BY_REST = 0.3;
/** How far rounding moves a corner of the mouth inwards, in half mouth widths. Whistling narrows a mouth by about a
 *  third. */
const PUCKER_PULL = 0.4;
const FUNNEL_PULL = 0.23;
/** Half width of the hole between fully rounded lips, as a share of the opening's half width. */
const HOLE_SHARE = 0.7;
/** Exponent of the outline of an opening: 1 is a parabola, 0.5 an ellipse, which has upright ends. */
const OPENING_SHAPE = 0.75;
/** Pixels by which closed lips overlap, so that no gap shows at any rounding. */
const CLOSED_OVERLAP_PX = 1.4;
/** Share of the gap by which lips also overlap near the corners, where the gap narrows within one or two grid cells. */
const CORNER_OVERLAP_SHARE = 0.08;

/** Adds the mouth parameters at one cell of a layer, with its centre at (x, y) of the region. */
export function addLipDisplacements(
  basis: DisplacementBasis,
  layer: LipLayer,
  geometry: FaceGeometry,
  row: number,
  column: number,
): void {
  const { mouth, jawDrop } = geometry;
  const { frame, noseV, chinV } = mouth;
  const x = basis.xOf(column);
  const y = basis.yOf(row);
  const u = frame.u(x, y);
  const v = frame.v(x, y);
  const add = (parameter: RigInputName, du: number, dv: number) =>
    basis.add(parameter, row, column, frame.vectorX(du, dv), frame.vectorY(du, dv));

  const innerUpper = mouth.innerUpper(u);
  const innerLower = mouth.innerLower(u);
  const outerUpper = mouth.outerUpper(u);
  const outerLower = mouth.outerLower(u);
  const gap = Math.max(innerLower - innerUpper, 0);
  const beyondCorner = Math.max(Math.abs(u) - 1, 0);
  const arch = Math.max(0, 1 - (u / mouth.innerHalfWidth) ** 2) ** OPENING_SHAPE;
  // 0 at the lower lip's edge, 1 at the chin: there both layers must move alike.
  const chinward = smoothstep(v, outerLower, chinV);
  const betweenCorners = smoothstep((1 - Math.abs(u)) / 0.12);
  const neck = smoothstep(1 - clampUnit((v - chinV) / 1.7));

  // Past its own lip edge, each layer moves rigidly, so that nothing beyond the cut bends it.
  const headV = v + (Math.min(v, innerUpper) - v) * betweenCorners * (1 - chinward);
  const jawV = v + (Math.max(v, innerLower) - v) * betweenCorners;
  const upperReach = smoothstep(headV, noseV, Math.min(outerUpper, innerUpper - 0.02)) * (1 - chinward);
  const upperHold = arch * upperReach;
  /** Share of a lower lip's movement that reaches down: 1 at the lip, `chinShare` at the chin, 0 down the neck. */
  const lowerHold = (chinShare: number) => {
    const t = smoothstep(jawV, outerLower, chinV);
    return (1 - t + t * chinShare) * neck;
  };
  const jawSwing = (at: number) => {
    const t = clampUnit((at - noseV) / (chinV - noseV));
    const sideways = smoothstep((1.02 - Math.abs(u) / mouth.jawHalfWidth) / 0.85);
    return t * (2 - t) * smoothstep(t / 0.15) * sideways * neck;
  };

  // The sideways pull spreads from the corners over the cheeks; the column below the nose does not move.
  const besideNose = 1 - Math.exp(-((u / 0.62) ** 4)) * smoothstep((0.35 * noseV - v) / (-0.65 * noseV));
  const nearMouth = bell(v / 0.75) * besideNose;
  const cornerPull = u * bell(beyondCorner / 0.55) * nearMouth;
  // Rounding moves the lips inwards evenly and stretches the skin between the corner and the face outline evenly. A
  // steeper falloff would pinch the cheek, a wider one would pull the background. Above the lip it ends early, so that
  // the nose keeps its shape.
  const outline = Math.max(1.6, 0.92 * mouth.jawHalfWidth);
  const drawnIn = u * (1 - smoothstep((Math.abs(u) - 0.7) / (outline - 0.7)));
  // If the rest pose already narrows a broad smile, rounding adds less, because together they would crease the cheeks.
  const roundPull =
    (1 - ROUNDED_BY_REST * smileTakenBack(mouth)) * drawnIn * (v < 0 ? bell(v / 0.55) : bell(v / 0.6)) * besideNose;
  // The hole between rounded lips, and how the lips touch beside it.
  const hole = Math.max(0, 1 - (u / (HOLE_SHARE * mouth.innerHalfWidth)) ** 2) ** 0.55;
  const funnelArch = Math.max(0, 1 - (u / (0.85 * mouth.innerHalfWidth)) ** 2) ** 0.75;
  const touching = arch * (u / mouth.innerHalfWidth) ** 2;
  // Rounding straightens a curved seam: the corners rise or fall to the height of its middle.
  const seam = seamV(mouth, Math.min(1, Math.max(-1, u)));
  const levelling = (seamV(mouth, 0) - seam) * bell(beyondCorner / 0.5) * nearMouth * (v < 0 ? bell(v / 0.45) : 1);

  add("wide", 0.2 * cornerPull, 0);
  const cornerRise = -smoothstep(Math.abs(u)) * bell(beyondCorner / 0.6) * bell((v + 0.1) / 0.8);
  add("smile", 0.14 * cornerPull, 0.2 * cornerRise);
  // Raised cheeks pull the corners further: a broad smile. A photographed one is broad once it is back.
  const further = 1 - smileTakenBack(mouth);
  add("cheeks", further * 0.11 * cornerPull, further * 0.19 * cornerRise);
  const nearCorner = smoothstep((Math.abs(u) - 0.3) / 0.7) * bell(beyondCorner / 0.45);
  add("cornersDown", 0.03 * cornerPull, 0.2 * nearCorner * bell((v - 0.12) / 0.6));
  add("stretch", 0.17 * cornerPull, 0.04 * nearCorner * bell(v / 0.6));
  add("lopsided", 0.04 * Math.abs(cornerPull), 0.07 * Math.sign(u) * cornerRise);
  add("pucker", -PUCKER_PULL * roundPull, 0.5 * levelling);
  add("funnel", -FUNNEL_PULL * roundPull, 0.4 * levelling);

  const lowerHeight = Math.max(outerLower - innerLower, 0.03);
  const withinLower = clampUnit((jawV - innerLower) / lowerHeight);
  const towardsCorner = smoothstep(Math.abs(u) / mouth.innerHalfWidth, 0.75, 0.95);
  const overlap = (CLOSED_OVERLAP_PX / frame.unitPx) * Math.sqrt(arch) + CORNER_OVERLAP_SHARE * gap * towardsCorner;
  // Motion of the skin attached to the lower lip. Below the chin the head layer continues, so it must move alike.
  const hanging = layer === "jaw" ? 1 : chinward;
  const addLower = (parameter: RigInputName, dv: number) => add(parameter, 0, hanging * dv);
  addLower("close", (-(1 - UPPER_LIP_SHARE) * gap - overlap) * lowerHold(0.35));
  addLower("pucker", (0.06 * withinLower * arch + 0.05 * hole - 0.04 * touching) * lowerHold(0.1));
  addLower("funnel", (0.16 * funnelArch + 0.02 * withinLower * arch) * lowerHold(0.25));
  addLower("lowdep", 0.26 * arch * lowerHold(0.15));
  addLower("rollL", -0.55 * lowerHeight * withinLower * arch * lowerHold(0.05));
  addLower("press", -(0.4 * lowerHeight * withinLower * arch + 0.04) * lowerHold(0.6));

  // Both lip edges move with the seam. Only the arch separates them, and never at the corners.
  if (layer === "jaw") {
    const moved = jawSwing(jawV - (innerLower - seam) * (1 - chinward));
    const hung = arch * (1 - chinward);
    add("jaw", -0.1 * cornerPull, jawDrop * (moved + hung * (1 - moved)));
    add("roundedJaw", 0, jawDrop * (hole - arch) * (1 - chinward) * (1 - moved));
    return;
  }
  const upperHeight = Math.max(innerUpper - outerUpper, 0.03);
  const withinUpper = clampUnit((innerUpper - headV) / upperHeight);
  const swung = jawSwing(headV + (seam - innerUpper) * upperReach);
  add("close", 0, UPPER_LIP_SHARE * gap * upperReach);
  add("jaw", -0.1 * cornerPull, jawDrop * swung * (1 - arch * (1 - chinward)));
  add("roundedJaw", 0, jawDrop * swung * (arch - hole) * (1 - chinward));
  add("wide", 0, 0.03 * upperHold);
  add("pucker", 0, (-0.06 * withinUpper * arch - 0.05 * hole + 0.08 * touching) * upperReach);
  add("funnel", 0, (-0.07 * funnelArch - 0.05 * withinUpper * arch) * upperReach);
  add("upraise", 0, -0.22 * upperHold);
  add("rollU", 0, 0.55 * upperHeight * withinUpper * upperHold);
  add("press", 0, 0.4 * upperHeight * withinUpper * upperHold);
}
