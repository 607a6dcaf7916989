// The numbers that move a face. Zero is the portrait as photographed; a rest pose per portrait closes the mouth.

/** Names in tensor order. Mouth parameters run 0..1 (roughly); blink 0 open..1 closed; head angles ±1 (yaw and pitch
 *  10°, roll 5°); tx, ty ±1 = 3 % of the face width; gaze ±1; jaw 1 = 18 mm. Those after `tongue` came later, for
 *  expressions: files of earlier versions lack them. They run 0..1; browInner, browOuter and lopsided ±1 (1 raises the
 *  brow, and the corner of the mouth that is on the right in the image). New ones are appended, never inserted. */
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
  "cheeks",
  "lowerLids",
  "fold",
  "browInner",
  "browOuter",
  "browsTogether",
  "lidsRaised",
  "noseWrinkle",
  "cornersDown",
  "press",
  "stretch",
  "lopsided",
] as const;

export type FaceParameterName = (typeof FACE_PARAMETERS)[number];

/** Length of a parameter vector. */
export const FACE_PARAMETER_COUNT = FACE_PARAMETERS.length;

/** How many parameters the rigs of earlier versions take: the first ones. */
export const EARLIER_PARAMETER_COUNT = FACE_PARAMETERS.indexOf("tongue") + 1;

/** Some parameters by name; the others are zero. */
export type FacePose = Partial<Record<FaceParameterName, number>>;

/** Position of each parameter in a vector. */
export const FACE_PARAMETER_INDEX = Object.freeze(
  Object.fromEntries(FACE_PARAMETERS.map((name, index) => [name, index])) as Record<FaceParameterName, number>,
);

/** A vector (float32 [33]) with the given parameters set. Never throws. */
export function toParameterVector(pose: FacePose): Float32Array {
  const vector = new Float32Array(FACE_PARAMETER_COUNT);
  for (const [name, value] of Object.entries(pose)) vector[FACE_PARAMETER_INDEX[name as FaceParameterName]] = value;
  return vector;
}

/** The first `width` parameters of each vector: what a rig of an earlier version takes. `vectors`: float32 [n × 33]. */
export function firstParameters(vectors: Float32Array, width: number): Float32Array {
  return width === FACE_PARAMETER_COUNT ? vectors : vectors.filter((_, at) => at % FACE_PARAMETER_COUNT < width);
}
