// The 21 numbers that move a face. Zero is the portrait as photographed; a rest pose per portrait closes the mouth.

/** Names in tensor order. Mouth parameters run 0..1 (roughly); blink 0 open..1 closed; head angles ±1 (yaw and pitch
 *  10°, roll 5°); tx, ty ±1 = 3 % of the face width; gaze ±1; jaw 1 = 18 mm. */
export const FACE_PARAMETERS = [
  "close",
  "jaw",
  "funnel",
  "pucker",
  "wide",
  "smile",
  "upraise",
  "lowdep",
  "rollU",
  "rollL",
  "blinkL",
  "blinkR",
  "brow",
  "gazeX",
  "gazeY",
  "yaw",
  "pitch",
  "roll",
  "tx",
  "ty",
  "tongue",
] as const;

export type FaceParameterName = (typeof FACE_PARAMETERS)[number];

/** Length of a parameter vector. */
export const FACE_PARAMETER_COUNT = FACE_PARAMETERS.length;

/** Some parameters by name; the others are zero. */
export type FacePose = Partial<Record<FaceParameterName, number>>;

/** Position of each parameter in a vector. */
export const FACE_PARAMETER_INDEX = Object.freeze(
  Object.fromEntries(FACE_PARAMETERS.map((name, index) => [name, index])) as Record<FaceParameterName, number>,
);

/** A vector (float32 [21]) with the given parameters set. Never throws. */
export function toParameterVector(pose: FacePose): Float32Array {
  const vector = new Float32Array(FACE_PARAMETER_COUNT);
  for (const [name, value] of Object.entries(pose)) vector[FACE_PARAMETER_INDEX[name as FaceParameterName]] = value;
  return vector;
}
