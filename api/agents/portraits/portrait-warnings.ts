// What is known at submit about a portrait on its canvas. Only what holds for every bake of it is said.
import { CANVAS_SIZES } from "../../../src/face/figure/canvas-sizes.ts";
import { fitOnCanvas, portraitScale } from "../../../src/face/rig/measure/portrait-scale.ts";
import type { ApiWarning } from "../api-warning.ts";
import type { AspectRatio } from "../record/agent.ts";
import type { StoredPortrait } from "./portrait-store.ts";

/** A portrait that fills less of its canvas is too tight. The face's height, as found again by the bake, differs by
 *  less than what lies between this and a covered canvas. */
const LEAST_COVERAGE = 0.9;
/** From this enlargement on, the face looks soft. */
const MOST_ENLARGEMENT = 2.5;
/** Region of the families that can be created. */
const REGION_PX = 384;

/** Warnings about a checked portrait. Without a known face, only its size is judged. */
export function warnOfPortrait(
  { size, faceHeightPx }: Pick<StoredPortrait, "size" | "faceHeightPx">,
  aspectRatio: AspectRatio,
): ApiWarning[] {
  const canvas = CANVAS_SIZES[aspectRatio];
  const { showsAll, covers } = fitOnCanvas(size, canvas);
  const scale = faceHeightPx === null ? null : portraitScale(size, faceHeightPx, { canvas, regionPx: REGION_PX });
  const warnings: ApiWarning[] = [];
  if (scale !== null && scale < LEAST_COVERAGE * covers) {
    const isNarrow = canvas.widthPx / size.widthPx === covers;
    const [side, place] = isNarrow ? ["width", "beside"] : ["height", "above or below"];
    const filled = Math.round((100 * scale) / covers);
    warnings.push({
      code: "PICTURE_TOO_TIGHT",
      message: `The image shows too little for ${aspectRatio}: it fills about ${filled} % of the ${side}, and background is added ${place} it. Use an image with more around the face, or another aspect_ratio.`,
    });
  }
  const enlargement = scale ?? showsAll;
  if (enlargement >= MOST_ENLARGEMENT) {
    const times = `${scale === null ? "at least" : "about"} ${enlargement.toFixed(1)} times`;
    warnings.push({
      code: "PICTURE_TOO_SMALL",
      message: `The image is enlarged ${times} and will look soft. Use a larger image, or one that is closer to the face.`,
    });
  }
  return warnings;
}
