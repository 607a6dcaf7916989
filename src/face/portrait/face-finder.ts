// Detection in portraits: faces, their points, the person.
import { buildPyramid, type ImagePyramid } from "../../signal/image/pyramid.ts";
import type { Plane, RgbImage } from "../../signal/image/raster.ts";
import type { InferenceRuntime } from "../../signal/inference/inference-runtime.ts";
import { eyeDistance } from "./eye-distance.ts";
import type { FaceCandidate } from "./face-candidate.ts";
import { FaceDetector } from "./face-detector.ts";
import { cropOfCandidate, cropOfPoints, FaceMesh, type MeshReading } from "./face-mesh.ts";
import { IrisFinder } from "./iris-finder.ts";
import {
  FACE_POINT_COUNT,
  LEFT_EYE_CONTOUR,
  LEFT_IRIS,
  LID_RIM_COUNT,
  RIGHT_EYE_CONTOUR,
  RIGHT_IRIS,
} from "./mesh-points.ts";
import { PersonSegmenter } from "./person-segmenter.ts";
import { meanReading, readSteadily, type SteadyReading } from "./steady-reading.ts";

/** The four networks as ONNX files. Cards: `models/face/README.md`. */
export interface FaceModels {
  detector: Uint8Array;
  mesh: Uint8Array;
  iris: Uint8Array;
  segmenter: Uint8Array;
}

export interface FaceLandmarks {
  /** x, y, z in image px: 468 mesh points, then 5 of the left and 5 of the right iris (centre first). Whole numbers
   *  are pixel centres. z grows away from the viewer. Float32 [478 × 3]. Numbering: `mesh-points.ts`. */
  points: Float32Array;
  /** Probability that this is a face, 0..1. */
  presence: number;
  /** How much the points of the mouth differ between slightly different crops: root mean square, in parts of the
   *  distance between the eyes. About 0.010 where lips are seen, over 0.02 where they are hidden. 0 without `refine`.
   */
  mouthUnsteadiness: number;
  /** How far the mesh's lid rims lie from where the eye network sees them: root mean square, in parts of the distance
   *  between the eyes. About 0.025 on photographs, over 0.05 where eyes are drawn large or points lie wrong. */
  lidMismatch: number;
}

export interface LandmarkOptions {
  /** Average several crops: steadier points, about 40 ms more. Default true. */
  refine?: boolean;
  /** Average the same crops in a mirror too: the network's errors to one side cancel. Another 40 ms. Default false. */
  isMirroredToo?: boolean;
}

/** Finds faces and their points. Long-lived: load once, use for any number of images, one call at a time. */
export class FaceFinder {
  readonly #detector: FaceDetector;
  readonly #mesh: FaceMesh;
  readonly #iris: IrisFinder;
  readonly #segmenter: PersonSegmenter;
  readonly #release: () => Promise<void>;
  #pyramid: { image: RgbImage; levels: ImagePyramid } | undefined;
  #isClosed = false;

  private constructor(
    parts: { detector: FaceDetector; mesh: FaceMesh; iris: IrisFinder; segmenter: PersonSegmenter },
    release: () => Promise<void>,
  ) {
    this.#detector = parts.detector;
    this.#mesh = parts.mesh;
    this.#iris = parts.iris;
    this.#segmenter = parts.segmenter;
    this.#release = release;
  }

  /** Loads the four networks. Throws what the runtime throws for a graph that it refuses. */
  static async load(runtime: InferenceRuntime, models: FaceModels): Promise<FaceFinder> {
    const [detector, mesh, iris] = await Promise.all(
      [models.detector, models.mesh, models.iris].map((model) => runtime.createSession(model)),
    );
    const segmenter = await PersonSegmenter.load(runtime, models.segmenter);
    const parts = {
      detector: new FaceDetector(runtime, detector),
      mesh: new FaceMesh(runtime, mesh),
      iris: new IrisFinder(runtime, iris),
      segmenter,
    };
    return new FaceFinder(parts, async () => {
      await Promise.all([segmenter.close(), ...[detector, mesh, iris].map((session) => session.release())]);
    });
  }

  /** Every face in the image, best score first; empty if there is none. */
  async find(image: RgbImage): Promise<FaceCandidate[]> {
    return this.#detector.detect(this.#pyramidOf(image));
  }

  /** The points of one face of the image. */
  async landmarks(image: RgbImage, candidate: FaceCandidate, options: LandmarkOptions = {}): Promise<FaceLandmarks> {
    const pyramid = this.#pyramidOf(image);
    const first = await this.#mesh.read(pyramid, cropOfCandidate(candidate));
    const mesh = await this.#refine(pyramid, first, options);
    const points = new Float32Array(3 * FACE_POINT_COUNT);
    points.set(mesh.points);
    let squaredSum = 0;
    for (const side of ["left", "right"] as const) {
      const eye = await this.#iris.read(pyramid, mesh.points, side);
      points.set(eye.iris, 3 * (side === "left" ? LEFT_IRIS : RIGHT_IRIS));
      squaredSum += squaredMismatch(mesh.points, eye.contour, side === "left" ? LEFT_EYE_CONTOUR : RIGHT_EYE_CONTOUR);
    }
    const lidMismatch = Math.sqrt(squaredSum / (2 * LID_RIM_COUNT)) / eyeDistance(mesh.points);
    return { points, presence: mesh.presence, mouthUnsteadiness: mesh.mouthUnsteadiness, lidMismatch };
  }

  /** Probability of person at every pixel, 0..1. */
  async segment(image: RgbImage): Promise<Plane> {
    return this.#segmenter.segment(image);
  }

  /** Releases the networks. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pyramid = undefined;
    await this.#release();
  }

  async #refine(
    pyramid: ImagePyramid,
    first: MeshReading,
    { refine = true, isMirroredToo = false }: LandmarkOptions,
  ): Promise<SteadyReading> {
    if (!refine) return { ...first, mouthUnsteadiness: 0 };
    const crop = cropOfPoints(first.points);
    const seen = await readSteadily(this.#mesh, pyramid, crop);
    return isMirroredToo ? meanReading([seen, await readSteadily(this.#mesh, pyramid, crop, true)]) : seen;
  }

  /** The last image's pyramid is kept: finding, then reading points, uses the same one. */
  #pyramidOf(image: RgbImage): ImagePyramid {
    if (this.#pyramid?.image !== image) this.#pyramid = { image, levels: buildPyramid(image) };
    return this.#pyramid.levels;
  }
}

/** Sum of squared distances in the image plane between the mesh's lid rims and the eye network's. Brows and the rings
 *  around the lids are left out: the rig needs the rims, and brows that are plucked, pale or hidden by a frame differ
 *  by far more. Lids stay the mesh's: against drawn faces with known points, theirs were nearer (lower lids 2.9 %
 *  of the eye distance off, not 4.2 %). */
function squaredMismatch(points: Float32Array, contour: Float32Array, indices: readonly number[]): number {
  let sum = 0;
  for (const [i, index] of indices.slice(0, LID_RIM_COUNT).entries()) {
    sum += (contour[3 * i] - points[3 * index]) ** 2 + (contour[3 * i + 1] - points[3 * index + 1]) ** 2;
  }
  return sum;
}
