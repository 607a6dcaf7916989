// The 468 points of a face, from a crop around it.
import { type Affine, applyAffine, squareCropToImage } from "../../signal/image/affine.ts";
import { type ImagePyramid, warpPyramid } from "../../signal/image/pyramid.ts";
import type { InferenceRuntime, InferenceSession } from "../../signal/inference/inference-runtime.ts";
import type { FaceCandidate } from "./face-candidate.ts";
import { CANONICAL_FACE } from "./face-marks.ts";
import { LEFT_EYE_CORNERS, MESH_POINT_COUNT, RIGHT_EYE_CORNERS } from "./mesh-points.ts";

const INPUT_PX = 192;
/** Side of the crop as a multiple of the face's longer side. Source: MediaPipe's face landmark graph. */
const CROP_MARGIN = 1.5;

/** A square of the image, turned so that the eyes lie level. */
export interface FaceCrop {
  centreX: number;
  centreY: number;
  sizePx: number;
  angleRad: number;
}

export interface MeshReading {
  /** x, y, z of each point in image px; z grows away from the viewer and is relative to the head's middle. Float32
   *  [468 × 3]. */
  points: Float32Array;
  /** The network's probability that the crop holds a face, 0..1. */
  presence: number;
}

/** The crop of a detected face. */
export function cropOfCandidate({ box, keypoints }: FaceCandidate): FaceCrop {
  return {
    centreX: box.centreX,
    centreY: box.centreY,
    sizePx: Math.max(box.widthPx, box.heightPx) * CROP_MARGIN,
    angleRad: Math.atan2(keypoints[3] - keypoints[1], keypoints[2] - keypoints[0]),
  };
}

/** The crop around points already known: better centred than the detector's. */
export function cropOfPoints(points: Float32Array): FaceCrop {
  const [left, right] = [3 * LEFT_EYE_CORNERS[0], 3 * RIGHT_EYE_CORNERS[1]];
  const angleRad = Math.atan2(points[right + 1] - points[left + 1], points[right] - points[left]);
  const cos = Math.cos(angleRad);
  const sin = Math.sin(angleRad);
  let [minAlong, maxAlong, minAcross, maxAcross] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < 3 * MESH_POINT_COUNT; i += 3) {
    const along = points[i] * cos + points[i + 1] * sin;
    const across = points[i + 1] * cos - points[i] * sin;
    minAlong = Math.min(minAlong, along);
    maxAlong = Math.max(maxAlong, along);
    minAcross = Math.min(minAcross, across);
    maxAcross = Math.max(maxAcross, across);
  }
  const along = (minAlong + maxAlong) / 2;
  const across = (minAcross + maxAcross) / 2;
  return {
    centreX: along * cos - across * sin,
    centreY: along * sin + across * cos,
    sizePx: Math.max(maxAlong - minAlong, maxAcross - minAcross) * CROP_MARGIN,
    angleRad,
  };
}

/** The landmark network. Input `input_1` float32 [1,192,192,3] in 0..1; outputs `conv2d_21` (468 × x, y, z in crop px)
 *  and `conv2d_31` (logit of presence). */
export class FaceMesh {
  readonly #runtime: InferenceRuntime;
  readonly #session: InferenceSession;
  readonly #twins = mirroredTwins();

  constructor(runtime: InferenceRuntime, session: InferenceSession) {
    this.#runtime = runtime;
    this.#session = session;
  }

  /** The points of the face in a crop, in image pixels. With `isMirrored` the network sees the crop as in a mirror;
   *  the points are those of the image all the same. */
  async read(pyramid: ImagePyramid, crop: FaceCrop, isMirrored = false): Promise<MeshReading> {
    const level = squareCropToImage({ ...crop, cropPx: INPUT_PX });
    const cropToImage = isMirrored ? mirrorCrop(level) : level;
    const pixels = warpPyramid(pyramid, cropToImage, { widthPx: INPUT_PX, heightPx: INPUT_PX }).data;
    for (let i = 0; i < pixels.length; i++) pixels[i] /= 255;
    const input = new this.#runtime.Tensor("float32", pixels, [1, INPUT_PX, INPUT_PX, 3]);
    const outputs = await this.#session.run({ input_1: input });
    const raw = outputs.conv2d_21.data as Float32Array;
    const points = new Float32Array(raw.length);
    for (let i = 0; i < raw.length; i += 3) {
      const to = isMirrored ? 3 * this.#twins[i / 3] : i;
      [points[to], points[to + 1]] = applyAffine(cropToImage, raw[i], raw[i + 1]);
      points[to + 2] = (raw[i + 2] * crop.sizePx) / INPUT_PX;
    }
    const logit = (outputs.conv2d_31.data as Float32Array)[0];
    return { points, presence: 1 / (1 + Math.exp(-logit)) };
  }
}

/** x becomes INPUT_PX − x in the crop, for pixels read and points written alike. */
function mirrorCrop({ a, c, tx, ty, ...rest }: Affine): Affine {
  return { ...rest, a: -a, c: -c, tx: tx + a * INPUT_PX, ty: ty + c * INPUT_PX };
}

/** The point on the other half of the face for every point: the average face is symmetric. */
function mirroredTwins(): readonly number[] {
  const apart = ([x, y, z]: readonly number[], other: readonly number[]) =>
    (other[0] + x) ** 2 + (other[1] - y) ** 2 + (other[2] - z) ** 2;
  return CANONICAL_FACE.map((point) => {
    const distances = CANONICAL_FACE.map((other) => apart(point, other));
    return distances.indexOf(Math.min(...distances));
  });
}
