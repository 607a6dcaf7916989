// What is wrong with the faces of an image that cannot become an avatar: one list of reasons for the service, the
// command line and pages.

/** `several`: of similar size, so that the portrait could be of either. `unsure`: the points of the face are not
 *  certain enough; a person can mark them. */
export type FaceFlawKind = "no-face" | "several" | "too-small" | "cut-off" | "turned" | "mouth-covered" | "unsure";

export interface FaceFlaw {
  kind: FaceFlawKind;
  /** For the owner of the image; a remedy stands in all but that of `unsure`. */
  message: string;
}

const MESSAGES: Readonly<Record<Exclude<FaceFlawKind, "too-small">, string>> = Object.freeze({
  "no-face": "No face was found in the image. Use an image that shows one face from the front, uncovered and well lit.",
  several: "The image shows several faces of similar size. Crop it to one face.",
  "cut-off":
    "The face is cut off by the edge of the image. Use an image that shows the whole face, from forehead to chin.",
  turned: "The face is turned too far to the side, by about 45° or more. Use an image that shows it from the front.",
  "mouth-covered":
    "The mouth is covered, or no lips can be seen. Use an image that shows the mouth uncovered and well lit.",
  unsure: "The face in the image could not be located with certainty.",
});

/** The flaw with its message. */
export function faceFlaw(kind: keyof typeof MESSAGES): FaceFlaw {
  return { kind, message: MESSAGES[kind] };
}

/** The flaw of a face with its pupils too close together, px. */
export function tooSmallFlaw(pupilDistancePx: number, leastPx: number): FaceFlaw {
  const message = `The face is too small: the pupils are ${Math.round(pupilDistancePx)} px apart, and at least ${leastPx} px are needed. Use a larger or closer image.`;
  return { kind: "too-small", message };
}
