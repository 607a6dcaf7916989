// The constants of the graph's writer that the executor computes with: `Tuning` of rig.h.

import { LEAST_SLOPE, MOST_SLOPE } from "../../rig-graph/graph-displacement.ts";
import { HEAD_STEPS } from "../../rig-graph/graph-head.ts";
import {
  BLACK,
  CONTACT_SHADE,
  DARKEST,
  DUSK,
  JAW_STEPS,
  LOWER_LIP_SHADE,
  UPPER_LIP_SHADE,
} from "../../rig-graph/graph-mouth.ts";
import { ROUNDING } from "../../rig-graph/rig-data.ts";
import { inputWeights, ROUNDNESS } from "../../rig-graph/rig-inputs.ts";

/** In the order of the struct. */
export function rigTuning(): Float32Array {
  return Float32Array.of(
    ...inputWeights(ROUNDNESS),
    ...inputWeights(DUSK),
    ...BLACK.map((value) => value - ROUNDING),
    LEAST_SLOPE,
    MOST_SLOPE,
    HEAD_STEPS,
    JAW_STEPS,
    DARKEST,
    UPPER_LIP_SHADE,
    LOWER_LIP_SHADE,
    CONTACT_SHADE,
  );
}
