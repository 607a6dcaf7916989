// The face parameters that speech controls.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX, type FaceParameterName } from "../../../shared/face-parameters.ts";

/** A smile is not among them, because it can be shown during speech. */
const SPEECH_PARAMETERS: readonly FaceParameterName[] = [
  "close",
  "jaw",
  "funnel",
  "pucker",
  "wide",
  "upraise",
  "lowdep",
  "rollU",
  "rollL",
  "tongue",
  "press",
  "stretch",
];

/** 1 for each parameter that speech controls, else 0; in the order of `FACE_PARAMETERS`. */
export const IS_SPEECH = new Uint8Array(FACE_PARAMETER_COUNT);
for (const name of SPEECH_PARAMETERS) IS_SPEECH[FACE_PARAMETER_INDEX[name]] = 1;
