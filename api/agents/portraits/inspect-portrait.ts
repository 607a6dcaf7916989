// Checks an untrusted image. Runs in the portrait process only.
import { EngineError, isEngineError } from "../../../shared/engine-error.ts";
import type { FaceFinder } from "../../../src/face/portrait/face-finder.ts";
import { faceOval } from "../../../src/face/portrait/face-points.ts";
import { choosePortraitFace, MIN_AUTOMATIC_CONFIDENCE } from "../../../src/face/portrait/portrait-face.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { encodeJpeg } from "../../../src/signal/image/encode-image.ts";
import type { RgbImage } from "../../../src/signal/image/raster.ts";
import type { InspectResult, InspectTask } from "./portrait-messages.ts";

/** The face region is 384 px, so a larger image only costs time. */
const MAX_SIDE_PX = 2048;
/** High, because avatars are baked from the stored image. */
const JPEG_QUALITY = 95;

/** Decodes, checks and re-encodes an image. Throws as `decodeImage`. With `check: "refuse"`, throws as
 *  `choosePortraitFace`, and not-a-person for a drawing. */
export async function inspectPortrait(task: InspectTask, finder: () => Promise<FaceFinder>): Promise<InspectResult> {
  const image = await decodeImage(task.bytes, { maxSidePx: MAX_SIDE_PX });
  const subject = task.check === "none" ? NO_SUBJECT : await judgeSubject(image, task.check, await finder());
  const portrait = await encodeJpeg(image, JPEG_QUALITY);
  return { portrait, widthPx: image.widthPx, heightPx: image.heightPx, ...subject };
}

type Subject = Pick<InspectResult, "isPerson" | "faceHeightPx">;
const NO_SUBJECT: Subject = { isPerson: false, faceHeightPx: null };

async function judgeSubject(image: RgbImage, check: "refuse" | "classify", finder: FaceFinder): Promise<Subject> {
  try {
    const { isDrawn, confidence, landmarks } = await choosePortraitFace(image, finder);
    const isSure = confidence >= MIN_AUTOMATIC_CONFIDENCE;
    const faceHeightPx = isSure ? faceOval(landmarks.points).heightPx : null;
    if (check === "classify") return { isPerson: !isDrawn && isSure, faceHeightPx };
    if (!isDrawn) return { isPerson: true, faceHeightPx };
    throw new EngineError(
      "not-a-person",
      "The image shows a drawn face, but this model needs a photograph of a person. Use expression-2 instead.",
    );
  } catch (error) {
    // `classify` reports an image without a usable face of a person; it refuses none for its subject.
    const isAboutFace = isEngineError(error) && (error.code === "no-face" || error.code === "face-unsuitable");
    if (check === "classify" && isAboutFace) return NO_SUBJECT;
    throw error;
  }
}
