// Checks whether marks placed by a person can form a face, with messages on what to move.
import { FACE_MARKS, type FaceMark, type FaceMarkName, type FaceMarks } from "./face-marks.ts";
import { MIN_PUPIL_DISTANCE_PX } from "./portrait-face.ts";

/** Marks that must be in order along one axis of the face, each at least `gap` eye distances after the previous one. */
interface Order {
  axis: "right" | "down";
  names: readonly FaceMarkName[];
  gap: number;
}

/** Lids of a closed eye and closed lips may touch, and a hand may slip by this much. */
const TOUCHING = -0.03;
/** Pairs of marks that must not coincide. */
const APART = 0.05;

const ORDERS: readonly Order[] = [
  order(
    "right",
    APART,
    "temple_left",
    "eye_left_outer",
    "eye_left_inner",
    "eye_right_inner",
    "eye_right_outer",
    "temple_right",
  ),
  order("right", TOUCHING, "eye_left_outer", "pupil_left", "eye_left_inner"),
  order("right", TOUCHING, "eye_right_inner", "pupil_right", "eye_right_outer"),
  order("right", APART, "eye_left_outer", "eye_left_upper", "eye_left_inner"),
  order("right", APART, "eye_left_outer", "eye_left_lower", "eye_left_inner"),
  order("right", APART, "eye_right_inner", "eye_right_upper", "eye_right_outer"),
  order("right", APART, "eye_right_inner", "eye_right_lower", "eye_right_outer"),
  order(
    "right",
    APART,
    "brow_left_outer",
    "brow_left_peak",
    "brow_left_inner",
    "brow_right_inner",
    "brow_right_peak",
    "brow_right_outer",
  ),
  order("right", APART, "jaw_left", "mouth_left", "lip_upper_top", "mouth_right", "jaw_right"),
  order("right", APART, "mouth_left", "lip_upper_bottom", "mouth_right"),
  order("right", APART, "mouth_left", "lip_lower_top", "mouth_right"),
  order("right", APART, "mouth_left", "lip_lower_bottom", "mouth_right"),
  order("right", APART, "jaw_left", "chin_left", "chin", "chin_right", "jaw_right"),
  order("down", TOUCHING, "forehead", "brow_left_peak", "eye_left_upper", "eye_left_lower"),
  order("down", TOUCHING, "forehead", "brow_right_peak", "eye_right_upper", "eye_right_lower"),
  order("down", TOUCHING, "lip_upper_top", "lip_upper_bottom", "lip_lower_top", "lip_lower_bottom"),
  order("down", APART, "eye_left_lower", "lip_upper_top"),
  order("down", APART, "eye_right_lower", "lip_upper_top"),
  order("down", APART, "lip_lower_bottom", "chin"),
  order("down", APART, "temple_left", "jaw_left", "chin_left"),
  order("down", APART, "temple_right", "jaw_right", "chin_right"),
  order("down", TOUCHING, "chin_left", "chin"),
  order("down", TOUCHING, "chin_right", "chin"),
];

/** Messages about problems of the marks in an image of this size; empty if they can form a face that is large enough.
 *  The axes of the face follow its eyes, so that tilted heads pass. */
export function checkFaceMarks(marks: FaceMarks, image: { widthPx: number; heightPx: number }): string[] {
  const outside = FACE_MARKS.filter(({ name }) => !isInside(marks[name], image)).map(({ name }) => name);
  if (outside.length > 0) return [`outside the image: ${outside.join(", ")}`];
  const across = { x: marks.pupil_right.x - marks.pupil_left.x, y: marks.pupil_right.y - marks.pupil_left.y };
  const eyeDistancePx = Math.hypot(across.x, across.y);
  if (eyeDistancePx < MIN_PUPIL_DISTANCE_PX) {
    return [
      `the pupils are ${Math.round(eyeDistancePx)} px apart, and at least ${MIN_PUPIL_DISTANCE_PX} px are needed`,
    ];
  }
  const right = { x: across.x / eyeDistancePx, y: across.y / eyeDistancePx };
  const down = { x: -right.y, y: right.x };
  const problems: string[] = [];
  for (const { axis, names, gap } of ORDERS) {
    const direction = axis === "right" ? right : down;
    for (const [i, name] of names.slice(1).entries()) {
      const previous = names[i];
      const step =
        (marks[name].x - marks[previous].x) * direction.x + (marks[name].y - marks[previous].y) * direction.y;
      if (step >= gap * eyeDistancePx) continue;
      problems.push(`${name} should lie ${axis === "right" ? "to the right of" : "below"} ${previous}`);
    }
  }
  return [...new Set(problems)];
}

function order(axis: Order["axis"], gap: number, ...names: FaceMarkName[]): Order {
  return { axis, gap, names };
}

function isInside({ x, y }: FaceMark, { widthPx, heightPx }: { widthPx: number; heightPx: number }): boolean {
  return x >= -0.5 && y >= -0.5 && x <= widthPx - 0.5 && y <= heightPx - 0.5;
}
