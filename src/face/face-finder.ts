// Detection in portraits: faces, their points, the person.
import { buildPyramid, type ImagePyramid } from "../image/pyramid.ts";
import type { Plane, RgbImage } from "../image/raster.ts";
import type { InferenceRuntime } from "../inference/inference-runtime.ts";
import type { FaceCandidate } from "./face-candidate.ts";
import { FaceDetector } from "./face-detector.ts";
import { cropOfCandidate, cropOfPoints, type FaceCrop, FaceMesh, type MeshReading } from "./face-mesh.ts";
import { IrisFinder } from "./iris-finder.ts";
import {
  FACE_POINT_COUNT,
  LEFT_EYE_CONTOUR,
  LEFT_EYE_CORNERS,
  LEFT_IRIS,
  RIGHT_EYE_CONTOUR,
  RIGHT_EYE_CORNERS,
  RIGHT_IRIS,
} from "./mesh-points.ts";
import { PersonSegmenter } from "./person-segmenter.ts";

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
  /** How much the points differ between slightly different crops: root mean square over the mesh, in parts of the
   *  distance between the pupils. About 0.012 on photographs and drawings alike; higher values mean unreliable points.
   *  0 without `refine`. */
  unsteadiness: number;
  /** How far the mesh's eyes and brows lie from where the eye network sees them: root mean square, in parts of the
   *  distance between the pupils. About 0.03 on photographs, twice that and more where eyes are drawn. */
  eyeMismatch: number;
}

export interface LandmarkOptions {
  /** Average several crops: steadier points, about 40 ms more. Default true. */
  refine?: boolean;
}

/** Crops that differ a little: size factor, turn in radians, shift as a part of the crop's side. Their errors partly
 *  cancel. */
const JITTERS = [
  { size: 1, turn: 0, dx: 0, dy: 0 },
  { size: 0.94, turn: 0.05, dx: 0.01, dy: 0 },
  { size: 0.97, turn: -0.05, dx: -0.01, dy: 0.01 },
  { size: 1.04, turn: 0.03, dx: 0, dy: -0.015 },
  { size: 1.08, turn: -0.03, dx: 0.005, dy: 0.01 },
  { size: 1.02, turn: 0.08, dx: -0.01, dy: 0 },
  { size: 0.98, turn: -0.08, dx: 0.01, dy: -0.01 },
];

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
    const [detector, mesh, iris, segmenter] = await Promise.all(
      [models.detector, models.mesh, models.iris, models.segmenter].map((model) => runtime.createSession(model)),
    );
    const parts = {
      detector: new FaceDetector(runtime, detector),
      mesh: new FaceMesh(runtime, mesh),
      iris: new IrisFinder(runtime, iris),
      segmenter: new PersonSegmenter(runtime, segmenter),
    };
    return new FaceFinder(parts, async () => {
      await Promise.all([detector, mesh, iris, segmenter].map((session) => session.release()));
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
    const shouldRefine = options.refine ?? true;
    const mesh = shouldRefine
      ? await this.#readSteadily(pyramid, cropOfPoints(first.points))
      : { ...first, unsteadiness: 0 };
    const points = new Float32Array(3 * FACE_POINT_COUNT);
    points.set(mesh.points);
    let squaredSum = 0;
    for (const side of ["left", "right"] as const) {
      const eye = await this.#iris.read(pyramid, mesh.points, side);
      points.set(eye.iris, 3 * (side === "left" ? LEFT_IRIS : RIGHT_IRIS));
      squaredSum += squaredMismatch(mesh.points, eye.contour, side === "left" ? LEFT_EYE_CONTOUR : RIGHT_EYE_CONTOUR);
    }
    const eyeMismatch = Math.sqrt(squaredSum / (2 * LEFT_EYE_CONTOUR.length)) / eyeDistance(mesh.points);
    return { points, presence: mesh.presence, unsteadiness: mesh.unsteadiness, eyeMismatch };
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

  async #readSteadily(pyramid: ImagePyramid, crop: FaceCrop): Promise<MeshReading & { unsteadiness: number }> {
    const readings: MeshReading[] = [];
    for (const { size, turn, dx, dy } of JITTERS) {
      const jittered = {
        centreX: crop.centreX + dx * crop.sizePx,
        centreY: crop.centreY + dy * crop.sizePx,
        sizePx: crop.sizePx * size,
        angleRad: crop.angleRad + turn,
      };
      readings.push(await this.#mesh.read(pyramid, jittered));
    }
    const points = readings[0].points.map(
      (_, i) => readings.reduce((sum, reading) => sum + reading.points[i], 0) / readings.length,
    );
    return {
      points,
      presence: readings.reduce((sum, reading) => sum + reading.presence, 0) / readings.length,
      unsteadiness:
        spread(
          readings.map((reading) => reading.points),
          points,
        ) / eyeDistance(points),
    };
  }

  /** The last image's pyramid is kept: finding, then reading points, uses the same one. */
  #pyramidOf(image: RgbImage): ImagePyramid {
    if (this.#pyramid?.image !== image) this.#pyramid = { image, levels: buildPyramid(image) };
    return this.#pyramid.levels;
  }
}

/** Sum of squared distances in the image plane between the mesh's eye and brow points and the eye network's. Lids and
 *  brows stay the mesh's: against drawn faces whose points are known, theirs were nearer (lower lids 2.9 % of the eye
 *  distance off, not 4.2 %; brows 13 %, not 19 %). */
function squaredMismatch(points: Float32Array, contour: Float32Array, indices: readonly number[]): number {
  let sum = 0;
  for (const [i, index] of indices.entries()) {
    sum += (contour[3 * i] - points[3 * index]) ** 2 + (contour[3 * i + 1] - points[3 * index + 1]) ** 2;
  }
  return sum;
}

/** Root mean square distance in the image plane between the readings and their mean, in px. */
function spread(readings: readonly Float32Array[], mean: Float32Array): number {
  let sum = 0;
  for (const points of readings) {
    for (let i = 0; i < mean.length; i += 3) sum += (points[i] - mean[i]) ** 2 + (points[i + 1] - mean[i + 1]) ** 2;
  }
  return Math.sqrt((3 * sum) / (mean.length * readings.length));
}

/** Distance between the middles of the two eyes, in px. */
function eyeDistance(points: Float32Array): number {
  const middle = (axis: number, [first, second]: readonly [number, number]): number =>
    (points[3 * first + axis] + points[3 * second + axis]) / 2;
  const along = (axis: number): number => middle(axis, RIGHT_EYE_CORNERS) - middle(axis, LEFT_EYE_CORNERS);
  return Math.hypot(along(0), along(1));
}
