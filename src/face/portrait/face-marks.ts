// The marks of a face: thirty points that a person can place by eye where the finder is unsure. Left and right are as
// one looks at the image.
import canonicalFace from "./canonical-face.json" with { type: "json" };

/** Every mark: its name, its point of the face mesh, and where it belongs. Source of the numbers: the 468-point face
 *  mesh. */
export const FACE_MARKS = Object.freeze([
  { name: "forehead", index: 10, where: "middle of the forehead, at the hairline" },
  { name: "temple_left", index: 127, where: "rim of the face at the height of the eyes" },
  { name: "temple_right", index: 356, where: "rim of the face at the height of the eyes" },
  { name: "jaw_left", index: 58, where: "rim of the face at the height of the mouth" },
  { name: "jaw_right", index: 288, where: "rim of the face at the height of the mouth" },
  { name: "chin_left", index: 150, where: "rim of the face, halfway from the jaw to the chin" },
  { name: "chin_right", index: 379, where: "rim of the face, halfway from the jaw to the chin" },
  { name: "chin", index: 152, where: "lowest point of the chin" },
  { name: "brow_left_outer", index: 70, where: "outer end of the brow, upper edge" },
  { name: "brow_left_peak", index: 105, where: "highest point of the brow, upper edge" },
  { name: "brow_left_inner", index: 107, where: "inner end of the brow, upper edge" },
  { name: "brow_right_inner", index: 336, where: "inner end of the brow, upper edge" },
  { name: "brow_right_peak", index: 334, where: "highest point of the brow, upper edge" },
  { name: "brow_right_outer", index: 300, where: "outer end of the brow, upper edge" },
  { name: "eye_left_outer", index: 33, where: "outer corner of the eye" },
  { name: "eye_left_upper", index: 159, where: "middle of the upper lid's edge" },
  { name: "eye_left_inner", index: 133, where: "inner corner of the eye" },
  { name: "eye_left_lower", index: 145, where: "middle of the lower lid's edge" },
  { name: "pupil_left", index: 468, where: "centre of the pupil" },
  { name: "eye_right_inner", index: 362, where: "inner corner of the eye" },
  { name: "eye_right_upper", index: 386, where: "middle of the upper lid's edge" },
  { name: "eye_right_outer", index: 263, where: "outer corner of the eye" },
  { name: "eye_right_lower", index: 374, where: "middle of the lower lid's edge" },
  { name: "pupil_right", index: 473, where: "centre of the pupil" },
  { name: "mouth_left", index: 61, where: "corner of the mouth" },
  { name: "mouth_right", index: 291, where: "corner of the mouth" },
  { name: "lip_upper_top", index: 0, where: "upper edge of the upper lip, in the middle" },
  { name: "lip_upper_bottom", index: 13, where: "lower edge of the upper lip, in the middle" },
  {
    name: "lip_lower_top",
    index: 14,
    where: "upper edge of the lower lip, in the middle; with closed lips the same place",
  },
  { name: "lip_lower_bottom", index: 17, where: "lower edge of the lower lip, in the middle" },
] as const);

export type FaceMarkName = (typeof FACE_MARKS)[number]["name"];
export const FACE_MARK_NAMES = Object.freeze(FACE_MARKS.map(({ name }) => name));

/** Pixels of the image; whole numbers are pixel centres. */
export interface FaceMark {
  x: number;
  y: number;
}
export type FaceMarks = Readonly<Record<FaceMarkName, FaceMark>>;

/** 468 points of an average face, [x, y, z]: origin between the outer eye corners, unit = height of the face oval, y
 *  down. */
export const CANONICAL_FACE: readonly (readonly number[])[] = canonicalFace;

/** Height of a face in the middle of an image of which nothing else is known, as a share of the image's shorter
 *  side. */
const ASSUMED_FACE_SHARE = 0.5;
/** Marks that differ by less are the same, rounded. */
const ROUNDED_PX = 0.1;
/** Middle of the average face's oval, in its own units. */
const CANONICAL_MIDDLE_Y = 0.19;

/** The marks of a face by its points (float32 [478 × 3], px). */
export function marksOfMesh(points: Float32Array): FaceMarks {
  return toMarks((index) => ({ x: points[3 * index], y: points[3 * index + 1] }));
}

/** An average face with a closed mouth in the middle of an image: the initial marks if no face was found. */
export function averageMarks({ widthPx, heightPx }: { widthPx: number; heightPx: number }): FaceMarks {
  const scale = ASSUMED_FACE_SHARE * Math.min(widthPx, heightPx);
  const place = ([x, y]: readonly number[]): FaceMark => ({
    x: (widthPx - 1) / 2 + x * scale,
    y: (heightPx - 1) / 2 + (y - CANONICAL_MIDDLE_Y) * scale,
  });
  const middleOf = (first: number, second: number): FaceMark => {
    const [a, b] = [place(CANONICAL_FACE[first]), place(CANONICAL_FACE[second])];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  return toMarks((index) => {
    if (index === 468) return middleOf(33, 133);
    if (index === 473) return middleOf(362, 263);
    if (index === 13 || index === 14) return middleOf(13, 14);
    return place(CANONICAL_FACE[index]);
  });
}

/** True if no mark of one lies elsewhere in the other. Both may be rounded to a tenth of a px. */
export function areSameMarks(first: FaceMarks, second: FaceMarks): boolean {
  return FACE_MARK_NAMES.every(
    (name) => Math.hypot(first[name].x - second[name].x, first[name].y - second[name].y) < ROUNDED_PX,
  );
}

function toMarks(pointOf: (index: number) => FaceMark): FaceMarks {
  return Object.fromEntries(FACE_MARKS.map(({ name, index }) => [name, pointOf(index)])) as Record<
    FaceMarkName,
    FaceMark
  >;
}
