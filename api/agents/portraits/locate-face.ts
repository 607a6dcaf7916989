// Finds the face of a portrait, or guesses its position for a person to correct. Runs in the portrait process only.
import { isEngineError } from "../../../shared/engine-error.ts";
import { boxArea } from "../../../src/face/portrait/face-candidate.ts";
import type { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { faceFlaw } from "../../../src/face/portrait/face-flaw.ts";
import { averageMarks, type FaceMarks, marksOfMesh } from "../../../src/face/portrait/face-marks.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../../src/face/portrait/portrait-face.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import type { RgbImage } from "../../../src/signal/image/raster.ts";
import type { LocateResult } from "./portrait-messages.ts";

/** Accepts any subject. Throws as `decodeImage`. */
export async function locateFace(bytes: Uint8Array, finder: FaceFinder): Promise<LocateResult> {
  const image = await decodeImage(bytes);
  try {
    const { landmarks, confidence } = await choosePortraitFace(image, finder);
    if (confidence >= MIN_AUTOMATIC_CONFIDENCE) return { isSure: true, points: landmarks.points };
    return {
      isSure: false,
      guess: insideOf(image, marksOfMesh(landmarks.points)),
      reason: faceFlaw("unsure").message,
    };
  } catch (error) {
    if (!isEngineError(error)) throw error;
    return { isSure: false, guess: await guessMarks(image, finder), reason: error.message };
  }
}

/** The largest region that looks like a face, or else an average face in the middle. */
async function guessMarks(image: RgbImage, finder: FaceFinder): Promise<FaceMarks> {
  const [largest] = (await finder.find(image)).sort((left, right) => boxArea(right.box) - boxArea(left.box));
  if (!largest) return averageMarks(image);
  return insideOf(image, marksOfMesh((await finder.landmarks(image, largest)).points));
}

/** Clamps marks to the image: a person can only drag marks that lie in it. */
function insideOf({ widthPx, heightPx }: RgbImage, marks: FaceMarks): FaceMarks {
  const clamp = (value: number, limit: number) => Math.round(10 * Math.min(limit, Math.max(0, value))) / 10;
  const clamped = Object.entries(marks).map(([name, { x, y }]) => [
    name,
    { x: clamp(x, widthPx - 1), y: clamp(y, heightPx - 1) },
  ]);
  return Object.fromEntries(clamped) as Record<keyof FaceMarks, { x: number; y: number }>;
}
