// The constants of the graph's writer that the executor computes with: `Tuning` of rig.h.

import { FACE_PARAMETER_COUNT } from "../../../../shared/face-parameters.ts";
import { LEAST_SLOPE, MOST_SLOPE } from "../../rig-graph/graph-displacement.ts";
import { HEAD_STEPS, MOST_LIGHT } from "../../rig-graph/graph-head.ts";
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
import { BLACK_LUMA } from "../../rig-graph/rig-graph.ts";
import { inputWeights, ROUNDNESS } from "../../rig-graph/rig-inputs.ts";

/** In the order of the struct. */
export function rigTuning(): Float32Array {
  return Float32Array.of(
    ...inputWeights(ROUNDNESS, FACE_PARAMETER_COUNT),
    ...inputWeights(DUSK, FACE_PARAMETER_COUNT),
    ...BLACK.map((value) => value - ROUNDING),
    LEAST_SLOPE,
    MOST_SLOPE,
    HEAD_STEPS,
    JAW_STEPS,
    DARKEST,
    UPPER_LIP_SHADE,
    LOWER_LIP_SHADE,
    CONTACT_SHADE,
    MOST_LIGHT,
    BLACK_LUMA,
  );
}
