// Places all marks of a face by three of its points: the pupils and the middle of the mouth.
import { FACE_MARK_NAMES, type FaceMark, type FaceMarkName, type FaceMarks } from "./face-marks.ts";
import template from "./mark-template.json" with { type: "json" };

/** The three points that say where a face is, how large, how turned, and how long for its width. */
export interface FaceAnchors {
  pupilLeft: FaceMark;
  pupilRight: FaceMark;
  /** Where the lips meet, halfway between the corners of the mouth. */
  mouth: FaceMark;
}

/** The anchors of the template. */
const UNIT: FaceAnchors = { pupilLeft: { x: 0, y: 0 }, pupilRight: { x: 1, y: 0 }, mouth: { x: 0.5, y: 1 } };
/** A face in the frame of `UNIT`: halfway between the mean drawn face and the mean painted face of the gallery, the
 *  same on both sides. */
const TEMPLATE = Object.fromEntries(
  Object.entries(template).map(([name, [x, y]]) => [name, { x, y }]),
) as unknown as FaceMarks;
/** A guess is of the same face if its anchors lie within this many eye distances of the given ones. */
const SAME_FACE = 0.35;
/** A triangle of anchors must have at least this height over the line of the pupils, in eye distances. */
const MIN_HEIGHT = 0.25;
/** And its foot must lie at most this far from the middle between the pupils. */
const MAX_LEAN = 0.9;

/** All marks of a face with these anchors, by an affine map. They have the shape of `guess` if that is of the same
 *  face, and otherwise of an average face; both stretch with the anchors, so that wide and long faces fit, too. Throws
 *  RangeError for anchors with a problem, see `anchorProblem`. */
export function fitFaceMarks(anchors: FaceAnchors, guess: FaceMarks | null = null): FaceMarks {
  const problem = anchorProblem(anchors);
  if (problem) throw new RangeError(problem);
  const shape = guess && isSameFace(faceAnchors(guess), anchors) ? guess : TEMPLATE;
  return mapByAnchors(shape, shape === TEMPLATE ? UNIT : faceAnchors(shape), anchors);
}

/** Why three points can't be pupils and mouth, as a sentence for the person who placed them; undefined if they can. */
export function anchorProblem({ pupilLeft, pupilRight, mouth }: FaceAnchors): string | undefined {
  const across = minus(pupilRight, pupilLeft);
  const eyeDistance = Math.hypot(across.x, across.y);
  if (eyeDistance === 0) return "Both eyes are at the same place.";
  const middle = { x: (pupilLeft.x + pupilRight.x) / 2, y: (pupilLeft.y + pupilRight.y) / 2 };
  const toMouth = minus(mouth, middle);
  const height = (across.x * toMouth.y - across.y * toMouth.x) / eyeDistance ** 2;
  const lean = (across.x * toMouth.x + across.y * toMouth.y) / eyeDistance ** 2;
  if (height < 0) return "The mouth is above the eyes, or the eyes are the wrong way round.";
  if (height < MIN_HEIGHT) return "The mouth is too close to the eyes.";
  if (Math.abs(lean) > MAX_LEAN) return "The mouth lies too far to the side of the eyes.";
  return undefined;
}

/** The anchors of a face that is marked. */
export function faceAnchors(marks: FaceMarks): FaceAnchors {
  const seam = [marks.mouth_left, marks.mouth_right, marks.lip_upper_bottom, marks.lip_lower_top];
  const mean = (axis: "x" | "y") => seam.reduce((sum, mark) => sum + mark[axis], 0) / seam.length;
  return { pupilLeft: marks.pupil_left, pupilRight: marks.pupil_right, mouth: { x: mean("x"), y: mean("y") } };
}

/** The marks after the affine map that takes one triangle of anchors to another. */
export function mapByAnchors(marks: FaceMarks, from: FaceAnchors, to: FaceAnchors): FaceMarks {
  const [right, down] = [minus(from.pupilRight, from.pupilLeft), minus(from.mouth, from.pupilLeft)];
  const [toRight, toDown] = [minus(to.pupilRight, to.pupilLeft), minus(to.mouth, to.pupilLeft)];
  const area = right.x * down.y - right.y * down.x;
  return mapMarks(marks, (mark) => {
    const offset = minus(mark, from.pupilLeft);
    const along = (offset.x * down.y - offset.y * down.x) / area;
    const across = (right.x * offset.y - right.y * offset.x) / area;
    return {
      x: to.pupilLeft.x + along * toRight.x + across * toDown.x,
      y: to.pupilLeft.y + along * toRight.y + across * toDown.y,
    };
  });
}

/** The marks, each changed by `change`. */
export function mapMarks(marks: FaceMarks, change: (mark: FaceMark, name: FaceMarkName) => FaceMark): FaceMarks {
  return Object.fromEntries(FACE_MARK_NAMES.map((name) => [name, change(marks[name], name)])) as Record<
    FaceMarkName,
    FaceMark
  >;
}

function isSameFace(first: FaceAnchors, second: FaceAnchors): boolean {
  const atMost = SAME_FACE * distance(second.pupilLeft, second.pupilRight);
  return (
    distance(first.pupilLeft, second.pupilLeft) <= atMost &&
    distance(first.pupilRight, second.pupilRight) <= atMost &&
    distance(first.mouth, second.mouth) <= atMost
  );
}

function minus(first: FaceMark, second: FaceMark): FaceMark {
  return { x: first.x - second.x, y: first.y - second.y };
}

function distance(first: FaceMark, second: FaceMark): number {
  return Math.hypot(first.x - second.x, first.y - second.y);
}
