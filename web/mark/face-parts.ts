// The parts of a face, in the order in which they are checked, with what each of their points is called.
import { FACE_MARKS, type FaceMarkName } from "../../src/face/portrait/face-marks.ts";

export interface FacePart {
  id: string;
  /** Begins a sentence. */
  title: string;
  /** The points of the part by mark, as words that follow the title. */
  points: Readonly<Partial<Record<FaceMarkName, string>>>;
}

/** Left and right are as one looks at the image. Every mark belongs to one part. */
export const FACE_PARTS: readonly FacePart[] = [
  part("left-eye", "Left eye", {
    pupil_left: "pupil",
    eye_left_outer: "outer corner",
    eye_left_inner: "inner corner",
    eye_left_upper: "upper lid",
    eye_left_lower: "lower lid",
  }),
  part("right-eye", "Right eye", {
    pupil_right: "pupil",
    eye_right_outer: "outer corner",
    eye_right_inner: "inner corner",
    eye_right_upper: "upper lid",
    eye_right_lower: "lower lid",
  }),
  part("mouth", "Mouth", {
    mouth_left: "left corner",
    mouth_right: "right corner",
    lip_upper_top: "upper lip, top",
    lip_upper_bottom: "upper lip, bottom",
    lip_lower_top: "lower lip, top",
    lip_lower_bottom: "lower lip, bottom",
  }),
  part("left-brow", "Left brow", {
    brow_left_outer: "outer end",
    brow_left_peak: "highest point",
    brow_left_inner: "inner end",
  }),
  part("right-brow", "Right brow", {
    brow_right_outer: "outer end",
    brow_right_peak: "highest point",
    brow_right_inner: "inner end",
  }),
  part("outline", "Outline", {
    forehead: "top of the forehead",
    temple_left: "left, beside the eye",
    temple_right: "right, beside the eye",
    jaw_left: "left, beside the mouth",
    jaw_right: "right, beside the mouth",
    chin_left: "left of the chin",
    chin_right: "right of the chin",
    chin: "chin",
  }),
];

const WHERE = new Map(FACE_MARKS.map(({ name, where }) => [name as FaceMarkName, where]));

/** The marks of a part. */
export function marksOf({ points }: FacePart): FaceMarkName[] {
  return Object.keys(points) as FaceMarkName[];
}

/** The part that a mark belongs to. */
export function partOf(name: FaceMarkName): FacePart {
  return FACE_PARTS.find(({ points }) => name in points)!;
}

/** What a mark is called, for example "Left eye, upper lid". */
function labelOf(name: FaceMarkName): string {
  const { title, points } = partOf(name);
  return `${title}, ${points[name]}`;
}

/** Where a mark belongs, as a phrase. */
export function whereOf(name: FaceMarkName): string {
  return WHERE.get(name)!;
}

/** What a mark is called and where it belongs, for example "Left eye, upper lid: middle of the upper lid's edge". */
export function describeMark(name: FaceMarkName): string {
  const { title, points } = partOf(name);
  const where = whereOf(name);
  return where.startsWith(points[name]!) ? `${title}: ${where}` : `${labelOf(name)}: ${where}`;
}

/** A problem that `checkFaceMarks` found, in the words of the page. */
export function explainProblem(problem: string): string {
  const words = problem.replace(/[a-z]+(?:_[a-z]+)*/g, (word) =>
    WHERE.has(word as FaceMarkName) ? `“${labelOf(word as FaceMarkName)}”` : word,
  );
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function part(id: string, title: string, points: FacePart["points"]): FacePart {
  return { id, title, points };
}
