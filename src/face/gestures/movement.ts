// A movement of the face: curves of a few parameters over time, zero at both ends.
import { FACE_PARAMETER_INDEX, type FaceParameterName } from "../../../shared/face-parameters.ts";
import { type Curve, pchip } from "../../signal/math/pchip.ts";

/** Values of parameters at seconds from the movement's start: `0.2 -0.1, 0.7 0.66` is −0.1 after 0.2 s and 0.66 after
 *  0.7 s. Between them, and to zero at both ends, a curve has no overshoot; it stands still where it turns, as a head
 *  does. `lids`: both alike. */
type Curves = Readonly<Partial<Record<FaceParameterName | "lids", string>>>;

export interface Movement {
  seconds: number;
  curves: Curves;
}

/** A movement of some length. */
export function movement(seconds: number, curves: Curves): Movement {
  return { seconds, curves };
}

/** What is sampled of a movement: one curve for each parameter that moves. */
export type SampledMovement = readonly { parameter: number; valueAt: Curve }[];

const LIDS: readonly FaceParameterName[] = ["blinkL", "blinkR"];
/** Distance of the flat points that make a curve start and end without a jerk, s. */
const FLAT_SECONDS = 0.1;

/** The curves of a movement, zero outside 0..seconds. Throws RangeError for points that are not in order within the
 *  movement. */
export function sampleMovement({ seconds, curves }: Movement): SampledMovement {
  return Object.entries(curves).flatMap(([name, text]) => {
    const points = text.split(", ").map((point) => point.split(" ").map(Number));
    const x = [-FLAT_SECONDS, 0, ...points.map(([at]) => at), seconds, seconds + FLAT_SECONDS];
    const y = [0, 0, ...points.map(([, value]) => value), 0, 0];
    const valueAt = pchip(x, y);
    const names = name === "lids" ? LIDS : [name as FaceParameterName];
    return names.map((parameter) => ({ parameter: FACE_PARAMETER_INDEX[parameter], valueAt }));
  });
}
