// Decides whether an image can become an avatar, and selects the face.
import { EngineError } from "../engine-error.ts";
import type { RgbImage } from "../image/raster.ts";
import { drawnProbability } from "./drawn-evidence.ts";
import { boxArea, type FaceCandidate } from "./face-candidate.ts";
import type { FaceFinder, FaceLandmarks } from "./face-finder.ts";
import { FACE_OVAL, LEFT_IRIS, LOWER_LIP_OUTER, RIGHT_IRIS, UPPER_LIP_OUTER } from "./mesh-points.ts";

/** Pupils closer than this are refused. The rig renders a face with its pupils about 84 px apart (384 px region); below
 *  a third of that, three pixels in four are interpolated, and lips are under 5 px high. */
export const MIN_PUPIL_DISTANCE_PX = 28;

/** A second face of at least this part of the largest one's area makes the choice ambiguous. */
const RIVAL_AREA = 0.5;
/** Candidates that the landmark network rejects are false detections. */
const MIN_PRESENCE = 0.5;
/** At most this part of the rim of the face may lie outside the image. */
const MAX_RIM_OUTSIDE = 0.25;
/** Below this confidence a person should place the marks. Photographs reach 1, drawings 0.6 to 0.97, a drawn robot 0.1.
 *  */
export const MIN_AUTOMATIC_CONFIDENCE = 0.7;
export interface PortraitFace {
  candidate: FaceCandidate;
  landmarks: FaceLandmarks;
  /** Distance between the iris centres. */
  pupilDistancePx: number;
  /** How far the points can be trusted, 0..1; under `MIN_AUTOMATIC_CONFIDENCE` let a person mark the face. */
  confidence: number;
  /** Probability that the face is drawn rather than photographed, 0..1; see `drawnProbability`. */
  drawnProbability: number;
  /** True if that is more likely than not. */
  isDrawn: boolean;
}

/** The face that a portrait is of, with its points. Throws EngineError: no-face if there is no face;
 *  face-unsuitable if it is too small or cut off, or if there are several of similar size. Messages contain a
 *  remedy. */
export async function choosePortraitFace(image: RgbImage, finder: FaceFinder): Promise<PortraitFace> {
  const faces = await findFaces(image, finder);
  if (faces.length === 0) {
    throw new EngineError(
      "no-face",
      "No face was found in the image. Use an image that shows one face from the front, uncovered and well lit.",
    );
  }
  const [candidate, rival] = faces;
  if (rival && boxArea(rival.box) >= RIVAL_AREA * boxArea(candidate.box)) {
    throw new EngineError("face-unsuitable", "The image shows several faces of similar size. Crop it to one face.");
  }
  const landmarks = await finder.landmarks(image, candidate);
  const pupilDistancePx = distance(landmarks.points, LEFT_IRIS, RIGHT_IRIS);
  if (pupilDistancePx < MIN_PUPIL_DISTANCE_PX) {
    throw new EngineError(
      "face-unsuitable",
      `The face is too small: the pupils are ${Math.round(pupilDistancePx)} px apart, and at least ${MIN_PUPIL_DISTANCE_PX} px are needed. Use a larger or closer image.`,
    );
  }
  if (isCutOff(landmarks.points, image)) {
    throw new EngineError(
      "face-unsuitable",
      "The face is cut off by the edge of the image. Use an image that shows the whole face, from forehead to chin.",
    );
  }
  const drawn = drawnProbability(image, candidate);
  return {
    candidate,
    landmarks,
    pupilDistancePx,
    confidence: confidenceOf(candidate, landmarks, pupilDistancePx),
    drawnProbability: drawn,
    isDrawn: drawn > 0.5,
  };
}

/** Candidates that the landmark network confirms, largest first. */
async function findFaces(image: RgbImage, finder: FaceFinder): Promise<FaceCandidate[]> {
  const confirmed: FaceCandidate[] = [];
  for (const candidate of await finder.find(image)) {
    const { presence } = await finder.landmarks(image, candidate, { refine: false });
    if (presence >= MIN_PRESENCE) confirmed.push(candidate);
  }
  return confirmed.sort((first, second) => boxArea(second.box) - boxArea(first.box));
}

/** Product of four measures, each 1 for typical photographs and 0 for useless points. */
function confidenceOf(candidate: FaceCandidate, landmarks: FaceLandmarks, pupilDistancePx: number): number {
  const disagreement = detectorDisagreementPx(candidate, landmarks.points) / pupilDistancePx;
  return (
    landmarks.presence *
    falling(landmarks.unsteadiness, 0.02, 0.05) *
    falling(landmarks.eyeMismatch, 0.045, 0.12) *
    falling(disagreement, 0.25, 0.5)
  );
}

/** 1 up to `good`, 0 from `bad` on, straight between. */
function falling(value: number, good: number, bad: number): number {
  return Math.min(1, Math.max(0, (bad - value) / (bad - good)));
}

/** The largest distance between the detector's eyes, nose and mouth and the mesh's. */
function detectorDisagreementPx({ keypoints }: FaceCandidate, points: Float32Array): number {
  const noseTip = 1;
  const [upperLip, lowerLip] = [13, 14];
  const mouth = [0, 1].map((axis) => (points[3 * upperLip + axis] + points[3 * lowerLip + axis]) / 2);
  const mesh = [LEFT_IRIS, RIGHT_IRIS, noseTip].map((index) => [points[3 * index], points[3 * index + 1]]);
  mesh.push(mouth);
  return Math.max(...mesh.map(([x, y], i) => Math.hypot(keypoints[2 * i] - x, keypoints[2 * i + 1] - y)));
}

function isCutOff(points: Float32Array, { widthPx, heightPx }: RgbImage): boolean {
  const isOutside = (index: number): boolean =>
    points[3 * index] < 0 ||
    points[3 * index + 1] < 0 ||
    points[3 * index] > widthPx - 1 ||
    points[3 * index + 1] > heightPx - 1;
  const isMouthCut = [...UPPER_LIP_OUTER, ...LOWER_LIP_OUTER].some(isOutside);
  return isMouthCut || FACE_OVAL.filter(isOutside).length > MAX_RIM_OUTSIDE * FACE_OVAL.length;
}

function distance(points: Float32Array, first: number, second: number): number {
  return Math.hypot(points[3 * first] - points[3 * second], points[3 * first + 1] - points[3 * second + 1]);
}
