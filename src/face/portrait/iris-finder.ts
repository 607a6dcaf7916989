// Iris of one eye, which the mesh does not have, and a second opinion on lids and brow.
import { applyAffine, squareCropToImage } from "../../signal/image/affine.ts";
import { type ImagePyramid, warpPyramid } from "../../signal/image/pyramid.ts";
import type { InferenceRuntime, InferenceSession } from "../../signal/inference/inference-runtime.ts";
import { LEFT_EYE_CORNERS, RIGHT_EYE_CORNERS } from "./mesh-points.ts";

const INPUT_PX = 64;
/** Side of the crop as a multiple of the distance between the eye's corners. Source: MediaPipe's iris graph. */
const CROP_MARGIN = 2.3;

export interface EyeReading {
  /** 71 points x, y, z in image px, in the order of `LEFT_EYE_CONTOUR` or `RIGHT_EYE_CONTOUR`. */
  contour: Float32Array;
  /** Centre and four points of the rim, x, y, z in image px. */
  iris: Float32Array;
}

/** The iris network, trained on left eyes; right ones are shown to it mirrored. Input `input_1` float32 [1,64,64,3] in
 *  0..1; outputs `output_eyes_contours_and_brows` (71 × x, y, z) and `output_iris` (5 × x, y, z), both in crop px. */
export class IrisFinder {
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;

  constructor(runtime: InferenceRuntime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /** One eye of a face, by the face's mesh points (x, y, z each). */
  async read(pyramid: ImagePyramid, points: Float32Array, side: "left" | "right"): Promise<EyeReading> {
    const [from, to] = side === "left" ? LEFT_EYE_CORNERS : RIGHT_EYE_CORNERS;
    const dx = points[3 * to] - points[3 * from];
    const dy = points[3 * to + 1] - points[3 * from + 1];
    const sizePx = Math.hypot(dx, dy) * CROP_MARGIN;
    const cropToImage = squareCropToImage({
      centreX: points[3 * from] + dx / 2,
      centreY: points[3 * from + 1] + dy / 2,
      sizePx,
      angleRad: Math.atan2(dy, dx),
      cropPx: INPUT_PX,
    });
    if (side === "right") {
      // Mirrored in the crop: x becomes INPUT_PX − x, for pixels read and points written alike.
      cropToImage.tx += cropToImage.a * INPUT_PX;
      cropToImage.ty += cropToImage.c * INPUT_PX;
      cropToImage.a = -cropToImage.a;
      cropToImage.c = -cropToImage.c;
    }
    const pixels = warpPyramid(pyramid, cropToImage, { widthPx: INPUT_PX, heightPx: INPUT_PX }).data;
    for (let i = 0; i < pixels.length; i++) pixels[i] /= 255;
    const input = new this.#runtime.Tensor("float32", pixels, [1, INPUT_PX, INPUT_PX, 3]);
    const outputs = await this.#session.run({ input_1: input });
    const toImage = (raw: Float32Array): Float32Array => {
      const mapped = new Float32Array(raw.length);
      for (let i = 0; i < raw.length; i += 3) {
        [mapped[i], mapped[i + 1]] = applyAffine(cropToImage, raw[i], raw[i + 1]);
        mapped[i + 2] = (raw[i + 2] * sizePx) / INPUT_PX;
      }
      return mapped;
    };
    return {
      contour: toImage(outputs.output_eyes_contours_and_brows.data as Float32Array),
      iris: toImage(outputs.output_iris.data as Float32Array),
    };
  }
}
