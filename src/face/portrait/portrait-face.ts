// Decides whether an image can become an avatar, and selects the face.
import { EngineError } from "../../../shared/engine-error.ts";
import type { RgbImage } from "../../signal/image/raster.ts";
import { drawnProbability } from "./drawn-evidence.ts";
import { boxArea, type FaceCandidate } from "./face-candidate.ts";
import type { FaceFinder, FaceLandmarks } from "./face-finder.ts";
import { type FaceFlaw, faceFlaw, tooSmallFlaw } from "./face-flaw.ts";
import { headTurnDeg, noseBesideEyes } from "./head-turn.ts";
import { FACE_OVAL, LEFT_IRIS, LOWER_LIP_OUTER, RIGHT_IRIS, UPPER_LIP_OUTER } from "./mesh-points.ts";
import { mouthContrast } from "./mouth-contrast.ts";
import { pointCertainty } from "./point-certainty.ts";

/** Pupils closer than this are refused. The rig renders a face with its pupils about 84 px apart (384 px region); below
 *  a third of that, three pixels in four are interpolated, and lips are under 5 px high. */
export const MIN_PUPIL_DISTANCE_PX = 28;

/** A second face of at least this part of the largest one's area makes the choice ambiguous. */
const RIVAL_AREA = 0.5;
/** Candidates that the landmark network rejects are false detections. */
const MIN_PRESENCE = 0.5;
/** At most this part of the rim of the face may lie outside the image. */
const MAX_RIM_OUTSIDE = 0.25;
/** Below this confidence a person should place the marks. */
export const MIN_AUTOMATIC_CONFIDENCE = 0.7;
/** Faces below this confidence get a second look, which costs about 150 ms. */
const SURE = 1 - 1e-3;
/** Turn of the head that the mesh reads, degrees: 43 are about 48 in truth; see `headTurnDeg`. */
const MAX_TURN_DEG = 43;
/** The same by the detector alone, for faces that the landmark network rejects; see `noseBesideEyes`. */
const MAX_NOSE_BESIDE_EYES = 0.1;
/** Score from which a rejected candidate with this nose is a face after all. */
const MIN_TURNED_SCORE = 0.8;
/** Below this contrast no lips are seen; see `mouthContrast`. */
const MIN_MOUTH_CONTRAST = 0.2;
/** Folds of a mask and fingers have more, but less than the lips of any photograph; the mesh is at a loss there. Lips
 *  that are seen have at least 0.69 and an unsteadiness of 0.018 at most, masks 0.09 to 0.55 and from 0.03. */
const MAX_COVER_CONTRAST = 0.6;
const MIN_COVER_UNSTEADINESS = 0.027;
/** From this contrast on, the eyes show nothing: dark lenses. A statue's blank eyes have 4.6, everyone else 2.4. */
const MIN_HIDDEN_EYES_CONTRAST = 8;
/** An even mask makes a photographed face look drawn, with a probability of 0.6 to 0.9; drawings have more. */
const CERTAINLY_DRAWN = 0.95;

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

/** A face with what speaks against it; null if nothing does. */
export interface JudgedFace extends PortraitFace {
  flaw: FaceFlaw | null;
}

export interface FacesInImage {
  /** Largest first. */
  faces: readonly FaceCandidate[];
  /** Why none of them is the one that the portrait is of; null if the first one is. */
  flaw: FaceFlaw | null;
}

/** The face that a portrait is of, with its points. Throws EngineError: no-face if there is no face;
 *  face-unsuitable if it is too small, cut off, turned away or has its mouth covered, or if there are several of
 *  similar size. Messages contain a remedy. A drawing is not refused for turn and mouth: its confidence is 0. */
export async function choosePortraitFace(image: RgbImage, finder: FaceFinder): Promise<PortraitFace> {
  const { faces, flaw: flawOfImage } = await findPortraitFaces(image, finder);
  assertFlawless(flawOfImage);
  const { flaw, ...face } = await judgePortraitFace(image, faces[0], finder);
  // Callers decide by the confidence.
  if (flaw?.kind !== "unsure") assertFlawless(flaw);
  return face;
}

function assertFlawless(flaw: FaceFlaw | null): void {
  if (flaw) throw new EngineError(flaw.kind === "no-face" ? "no-face" : "face-unsuitable", flaw.message);
}

/** Every face of an image, small ones too. */
export async function findPortraitFaces(image: RgbImage, finder: FaceFinder): Promise<FacesInImage> {
  const candidates = await finder.find(image);
  const faces = await confirmedFaces(image, candidates, finder);
  const [largest, rival] = faces;
  if (!largest) {
    const isProfile = (candidate: FaceCandidate) =>
      candidate.score >= MIN_TURNED_SCORE && noseBesideEyes(candidate) > MAX_NOSE_BESIDE_EYES;
    return { faces, flaw: faceFlaw(candidates.some(isProfile) ? "turned" : "no-face") };
  }
  const isAmbiguous = rival && boxArea(rival.box) >= RIVAL_AREA * boxArea(largest.box);
  return { faces, flaw: isAmbiguous ? faceFlaw("several") : null };
}

/** The points of one face of an image, and whether it can become an avatar. */
export async function judgePortraitFace(
  image: RgbImage,
  candidate: FaceCandidate,
  finder: FaceFinder,
): Promise<JudgedFace> {
  const drawn = drawnProbability(image, candidate);
  const isDrawn = drawn > 0.5;
  const { landmarks, certainty } = await findPoints(image, candidate, isDrawn, finder);
  const pupilDistancePx = distance(landmarks.points, LEFT_IRIS, RIGHT_IRIS);
  const hidden = hiddenPart(image, landmarks);
  const confidence = hidden ? 0 : certainty;
  const face = { candidate, landmarks, pupilDistancePx, confidence, drawnProbability: drawn, isDrawn };
  if (pupilDistancePx < MIN_PUPIL_DISTANCE_PX) {
    return { ...face, flaw: tooSmallFlaw(pupilDistancePx, MIN_PUPIL_DISTANCE_PX) };
  }
  if (isCutOff(landmarks.points, image)) return { ...face, flaw: faceFlaw("cut-off") };
  if (hidden && drawn <= CERTAINLY_DRAWN) return { ...face, flaw: hidden };
  return { ...face, flaw: confidence < MIN_AUTOMATIC_CONFIDENCE ? faceFlaw("unsure") : null };
}

/** Candidates that the landmark network confirms, largest first. */
async function confirmedFaces(
  image: RgbImage,
  candidates: readonly FaceCandidate[],
  finder: FaceFinder,
): Promise<FaceCandidate[]> {
  const confirmed: FaceCandidate[] = [];
  for (const candidate of candidates) {
    const { presence } = await finder.landmarks(image, candidate, { refine: false });
    if (presence >= MIN_PRESENCE) confirmed.push(candidate);
  }
  return confirmed.sort((first, second) => boxArea(second.box) - boxArea(first.box));
}

/** The points of a face; if they are unsure, those of a second look, in which the face is seen mirrored too. */
async function findPoints(
  image: RgbImage,
  candidate: FaceCandidate,
  isDrawn: boolean,
  finder: FaceFinder,
): Promise<{ landmarks: FaceLandmarks; certainty: number }> {
  const certaintyOf = (landmarks: FaceLandmarks): number => {
    const areEyesHidden = mouthContrast(image, landmarks.points) >= MIN_HIDDEN_EYES_CONTRAST;
    return pointCertainty(candidate, landmarks, { isDrawn, areEyesHidden });
  };
  const first = await finder.landmarks(image, candidate);
  const certainty = certaintyOf(first);
  if (certainty >= SURE) return { landmarks: first, certainty };
  const second = await finder.landmarks(image, candidate, { isMirroredToo: true });
  return { landmarks: second, certainty: certaintyOf(second) };
}

/** Why no rig can be made of a face even if its points are right; null if nothing speaks against it. */
function hiddenPart(image: RgbImage, { points, mouthUnsteadiness }: FaceLandmarks): FaceFlaw | null {
  if (headTurnDeg(points) > MAX_TURN_DEG) return faceFlaw("turned");
  const isUncertain = mouthUnsteadiness >= MIN_COVER_UNSTEADINESS;
  if (mouthContrast(image, points) >= (isUncertain ? MAX_COVER_CONTRAST : MIN_MOUTH_CONTRAST)) return null;
  return faceFlaw("mouth-covered");
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
