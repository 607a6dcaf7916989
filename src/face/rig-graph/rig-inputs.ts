// Inputs of the displacement fields: the face parameters, and products of two where their combined movement is not the
// sum. A further face parameter would be the other way: each is part of the interface of lip sync, motion, gestures and
// files, and needs code that drives it.
//
// Graphs of earlier versions take the first parameters only; their products follow those.
import { FACE_PARAMETER_COUNT, FACE_PARAMETERS, type FaceParameterName } from "../../../shared/face-parameters.ts";
import type { GraphParts } from "./graph-parts.ts";

/** A corrective shape, as facial rigs call it. `roundedJaw` is jaw × roundness: a jaw that drops behind rounded lips
 *  opens a round hole, not a slit. */
export type CorrectiveName = "roundedJaw";
export type RigInputName = FaceParameterName | CorrectiveName;

const CORRECTIVES: readonly CorrectiveName[] = ["roundedJaw"];

/** Number of inputs of a graph that takes so many parameters. */
export function rigInputCount(parameterCount: number): number {
  return parameterCount + CORRECTIVES.length;
}

/** The inputs of a rig that is made today. */
export const RIG_INPUT_COUNT = rigInputCount(FACE_PARAMETER_COUNT);

/** Position of each input in the vector of a rig that is made today. */
export const RIG_INPUT_INDEX = Object.freeze(
  Object.fromEntries([...FACE_PARAMETERS, ...CORRECTIVES].map((name, index) => [name, index])) as Record<
    RigInputName,
    number
  >,
);

/** Roundness of the lips, from pucker and funnel, clipped to 0..1. */
export const ROUNDNESS: Readonly<Partial<Record<FaceParameterName, number>>> = Object.freeze({
  pucker: 1,
  funnel: 0.75,
});

/** Weights of parameters as a vector (float32 [inputs of a graph that takes `parameterCount` parameters]). */
export function inputWeights(
  weights: Readonly<Partial<Record<FaceParameterName, number>>>,
  parameterCount: number,
): Float32Array {
  const vector = new Float32Array(rigInputCount(parameterCount));
  for (const [name, weight] of Object.entries(weights)) vector[RIG_INPUT_INDEX[name as FaceParameterName]] = weight;
  return vector;
}

/** The inputs [1, n + 1] of parameters [1, n], as names of graph values. */
export function rigInputs(parts: GraphParts, parameters: string, parameterCount: number): string {
  const { builder } = parts;
  const weights = inputWeights(ROUNDNESS, parameterCount).subarray(0, parameterCount);
  const roundness = builder.node("MatMul", [parameters, builder.constant(weights, [weights.length, 1])]);
  const jaw = parts.parameter(parameters, RIG_INPUT_INDEX.jaw);
  return builder.node("Concat", [parameters, parts.multiply(jaw, parts.clip(roundness, 0, 1))], { axis: 1 });
}
