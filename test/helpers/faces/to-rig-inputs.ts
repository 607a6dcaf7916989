import {
  RIG_INPUT_COUNT,
  RIG_INPUT_INDEX,
  type RigInputName,
  ROUNDNESS,
} from "../../../src/face/rig-graph/rig-inputs.ts";

/** The inputs (float32 [34]) of parameters (float32 [33]), as `rigInputs` computes them in the graph. */
export function toRigInputs(parameters: Float32Array): Float32Array {
  const inputs = new Float32Array(RIG_INPUT_COUNT);
  inputs.set(parameters);
  let roundness = 0;
  for (const [name, weight] of Object.entries(ROUNDNESS)) {
    roundness += weight * inputs[RIG_INPUT_INDEX[name as RigInputName]];
  }
  inputs[RIG_INPUT_INDEX.roundedJaw] = inputs[RIG_INPUT_INDEX.jaw] * Math.min(1, Math.max(0, roundness));
  return inputs;
}
