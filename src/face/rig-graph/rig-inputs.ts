// Inputs of the displacement fields: the face parameters, and products of two where their combined movement is not the
// sum. A further face parameter would be the other way: each is part of the interface of lip sync, motion, gestures and
// files, and needs code that drives it.
import { FACE_PARAMETERS, type FaceParameterName } from "../../../shared/face-parameters.ts";
import type { GraphParts } from "./graph-parts.ts";

/** A corrective shape, as facial rigs call it. `roundedJaw` is jaw × roundness: a jaw that drops behind rounded lips
 *  opens a round hole, not a slit. */
export type CorrectiveName = "roundedJaw";
export type RigInputName = FaceParameterName | CorrectiveName;

const RIG_INPUTS: readonly RigInputName[] = Object.freeze([...FACE_PARAMETERS, "roundedJaw"] as const);
export const RIG_INPUT_COUNT = RIG_INPUTS.length;

/** Position of each input in a vector. */
export const RIG_INPUT_INDEX = Object.freeze(
  Object.fromEntries(RIG_INPUTS.map((name, index) => [name, index])) as Record<RigInputName, number>,
);

/** Roundness of the lips, from pucker and funnel, clipped to 0..1. */
export const ROUNDNESS: Readonly<Partial<Record<FaceParameterName, number>>> = Object.freeze({
  pucker: 1,
  funnel: 0.75,
});

/** Weights by name as a vector (float32 [22]). */
export function inputWeights(weights: Readonly<Partial<Record<RigInputName, number>>>): Float32Array {
  const vector = new Float32Array(RIG_INPUT_COUNT);
  for (const [name, weight] of Object.entries(weights)) vector[RIG_INPUT_INDEX[name as RigInputName]] = weight;
  return vector;
}

/** The inputs [1, 22] of parameters [1, 21], as names of graph values. */
export function rigInputs(parts: GraphParts, parameters: string): string {
  const { builder } = parts;
  const weights = inputWeights(ROUNDNESS).subarray(0, FACE_PARAMETERS.length);
  const roundness = builder.node("MatMul", [parameters, builder.constant(weights, [weights.length, 1])]);
  const jaw = parts.parameter(parameters, RIG_INPUT_INDEX.jaw);
  return builder.node("Concat", [parameters, parts.multiply(jaw, parts.clip(roundness, 0, 1))], { axis: 1 });
}
