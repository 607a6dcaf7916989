// From thirty marks to the 478 points that baking needs: lids, lips, brows and rim are drawn through the marks, and an
// average face is bent over them for the rest.
import { type PlanePoint, thinPlateSpline } from "../../signal/math/thin-plate-spline.ts";
import { averageMarks, CANONICAL_FACE, FACE_MARKS, type FaceMarkName, type FaceMarks } from "./face-marks.ts";
import {
  FACE_OVAL,
  FACE_POINT_COUNT,
  LEFT_IRIS,
  LOWER_LIP_OUTER,
  MESH_POINT_COUNT,
  RIGHT_IRIS,
  UPPER_LIP_OUTER,
} from "./mesh-points.ts";

/** A line of mesh points between two marks, through a third. */
interface MarkedLine {
  points: readonly number[];
  from: FaceMarkName;
  through: FaceMarkName;
  to: FaceMarkName;
}

const LIDS_AND_BROWS: readonly MarkedLine[] = [
  line([33, 246, 161, 160, 159, 158, 157, 173, 133], "eye_left_outer", "eye_left_upper", "eye_left_inner"),
  line([33, 7, 163, 144, 145, 153, 154, 155, 133], "eye_left_outer", "eye_left_lower", "eye_left_inner"),
  line([362, 398, 384, 385, 386, 387, 388, 466, 263], "eye_right_inner", "eye_right_upper", "eye_right_outer"),
  line([362, 382, 381, 380, 374, 373, 390, 249, 263], "eye_right_inner", "eye_right_lower", "eye_right_outer"),
  line([70, 63, 105, 66, 107], "brow_left_outer", "brow_left_peak", "brow_left_inner"),
  line([336, 296, 334, 293, 300], "brow_right_inner", "brow_right_peak", "brow_right_outer"),
];
const LIP_RIMS: readonly (MarkedLine & { thickness: readonly [FaceMarkName, FaceMarkName] })[] = [
  {
    ...line(UPPER_LIP_OUTER, "mouth_left", "lip_upper_top", "mouth_right"),
    thickness: ["lip_upper_top", "lip_upper_bottom"],
  },
  {
    ...line(LOWER_LIP_OUTER, "mouth_left", "lip_lower_bottom", "mouth_right"),
    thickness: ["lip_lower_top", "lip_lower_bottom"],
  },
];
const LIP_SEAMS: readonly MarkedLine[] = [
  line([78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308], "mouth_left", "lip_upper_bottom", "mouth_right"),
  line([78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308], "mouth_left", "lip_lower_top", "mouth_right"),
];
/** The seam's end points lie this share of the way from the middle of the mouth to its corners. */
const SEAM_SHARE = 0.95;
/** Exponent of the arcs: lids and lips bend a little more near their ends than a parabola. */
const ARC_EXPONENT = 2.2;
/** Radius of an iris over the width of its eye: 5.9 of 30 mm on grown people. */
const IRIS_RADIUS = 0.195;
const BEND_STIFFNESS = 1e-4;

/** The face mesh through the marks: float32 [478 × 3], x and y in px of the image, z in the same unit and growing
 *  away from the viewer. The two marks where the lips meet are brought above each other; every other mark is met
 *  exactly. Throws RangeError for marks that lie on one line. `checkFaceMarks` checks plausibility. */
export function meshFromMarks(marks: FaceMarks): Float32Array {
  const known = knownPoints(marks);
  const anchors = [...known.keys()].filter((index) => index < MESH_POINT_COUNT);
  const warp = thinPlateSpline(
    anchors.map(canonicalPoint),
    anchors.map((index) => known.get(index) as PlanePoint),
    BEND_STIFFNESS,
  );
  const unitPx = Math.hypot(marks.chin.x - marks.forehead.x, marks.chin.y - marks.forehead.y);
  const mesh = new Float32Array(3 * FACE_POINT_COUNT);
  for (let index = 0; index < MESH_POINT_COUNT; index++) {
    const [x, y] = known.get(index) ?? warp(canonicalPoint(index));
    mesh.set([x, y, CANONICAL_FACE[index][2] * unitPx], 3 * index);
  }
  const irisDepth = CANONICAL_FACE[133][2] * unitPx;
  for (let index = MESH_POINT_COUNT; index < FACE_POINT_COUNT; index++) {
    mesh.set([...(known.get(index) as PlanePoint), irisDepth], 3 * index);
  }
  return mesh;
}

function line(points: readonly number[], from: FaceMarkName, through: FaceMarkName, to: FaceMarkName): MarkedLine {
  return { points, from, through, to };
}

function canonicalPoint(index: number): PlanePoint {
  return [CANONICAL_FACE[index][0], CANONICAL_FACE[index][1]];
}

/** Mesh points that follow from the marks alone. */
function knownPoints(marks: FaceMarks): Map<number, PlanePoint> {
  const known = new Map<number, PlanePoint>();
  for (const marked of LIDS_AND_BROWS) drawArc(known, marked, marks, canonicalShares(marked));
  for (const { thickness, ...marked } of LIP_RIMS) {
    const share = Math.min(1, relativeThickness(thickness, marks));
    const bow = cupidsBow(marked).map((height) => share * height);
    drawArc(known, marked, marks, canonicalShares(marked), bow);
  }
  const level = levelledLips(marks);
  for (const marked of LIP_SEAMS) drawArc(known, marked, level, canonicalShares(marked).map(towardsMiddle));
  drawRim(known, marks);
  drawIris(known, LEFT_IRIS, marks.pupil_left, marks.eye_left_outer, marks.eye_left_inner);
  drawIris(known, RIGHT_IRIS, marks.pupil_right, marks.eye_right_inner, marks.eye_right_outer);
  return known;
}

/** Marks with lips that meet at one share of the mouth's width: then one lip's edge cannot cross the other's. */
function levelledLips(marks: FaceMarks): FaceMarks {
  const { mouth_left: left, mouth_right: right, lip_upper_bottom: upper, lip_lower_top: lower } = marks;
  const length = Math.hypot(right.x - left.x, right.y - left.y);
  const along = { x: (right.x - left.x) / length, y: (right.y - left.y) / length };
  const shift = ((lower.x - upper.x) * along.x + (lower.y - upper.y) * along.y) / 2;
  const moved = (mark: { x: number; y: number }, by: number) => ({
    x: mark.x + by * along.x,
    y: mark.y + by * along.y,
  });
  return { ...marks, lip_upper_bottom: moved(upper, shift), lip_lower_top: moved(lower, -shift) };
}

function towardsMiddle(share: number): number {
  return 0.5 + (share - 0.5) * SEAM_SHARE;
}

/** How far along its line each point lies on the average face, 0..1. */
function canonicalShares({ points }: MarkedLine): number[] {
  return points.map(
    (index) =>
      relativeTo(canonicalPoint(points[0]), canonicalPoint(points[points.length - 1]), canonicalPoint(index))[0],
  );
}

/** What the average face's line adds to a plain arc, in units of its length: the bow of the upper lip. */
function cupidsBow({ points }: MarkedLine): number[] {
  const [first, last] = [canonicalPoint(points[0]), canonicalPoint(points[points.length - 1])];
  const relative = points.map((index) => relativeTo(first, last, canonicalPoint(index)));
  const middle = relative[(points.length - 1) / 2];
  return relative.map(([share, height]) => height - middle[1] * arc(share, middle[0]));
}

/** How thick a lip is for the mouth's width, compared with the average face. */
function relativeThickness([top, bottom]: readonly [FaceMarkName, FaceMarkName], marks: FaceMarks): number {
  const canonical = averageMarks({ widthPx: 1000, heightPx: 1000 });
  const thickness = (face: FaceMarks) =>
    Math.hypot(face[bottom].x - face[top].x, face[bottom].y - face[top].y) /
    Math.hypot(face.mouth_right.x - face.mouth_left.x, face.mouth_right.y - face.mouth_left.y);
  return thickness(marks) / thickness(canonical);
}

/** Puts a line's points onto the arc from mark to mark. */
function drawArc(
  known: Map<number, PlanePoint>,
  { points, from, through, to }: MarkedLine,
  marks: FaceMarks,
  shares: readonly number[],
  extraHeights?: readonly number[],
): void {
  const start: PlanePoint = [marks[from].x, marks[from].y];
  const end: PlanePoint = [marks[to].x, marks[to].y];
  const [peakShare, peakHeight] = relativeTo(start, end, [marks[through].x, marks[through].y]);
  const canonicalPeak = shares[(shares.length - 1) / 2];
  points.forEach((index, i) => {
    // The peak of the marked line may lie further to one side than the average one: shares move along with it.
    const share =
      shares[i] <= canonicalPeak
        ? (shares[i] / canonicalPeak) * peakShare
        : 1 - ((1 - shares[i]) / (1 - canonicalPeak)) * (1 - peakShare);
    const height = peakHeight * arc(share, peakShare) + (extraHeights?.[i] ?? 0);
    const [alongX, alongY] = [end[0] - start[0], end[1] - start[1]];
    known.set(index, [start[0] + share * alongX - height * alongY, start[1] + share * alongY + height * alongX]);
  });
}

/** 1 at the peak, 0 at both ends, flat at the peak. */
function arc(share: number, peakShare: number): number {
  const distance = share <= peakShare ? (peakShare - share) / peakShare : (share - peakShare) / (1 - peakShare);
  return 1 - Math.min(1, distance) ** ARC_EXPONENT;
}

/** A point in the frame of a line: share of the way along it, and height across it, both in units of its length. */
function relativeTo(start: PlanePoint, end: PlanePoint, point: PlanePoint): [number, number] {
  const [alongX, alongY] = [end[0] - start[0], end[1] - start[1]];
  const [x, y] = [point[0] - start[0], point[1] - start[1]];
  const squared = alongX * alongX + alongY * alongY;
  return [(x * alongX + y * alongY) / squared, (y * alongX - x * alongY) / squared];
}

/** The rim between two neighbouring marks is the average face's, turned and scaled to fit. */
function drawRim(known: Map<number, PlanePoint>, marks: FaceMarks): void {
  const markAt = new Map(FACE_MARKS.map(({ name, index }) => [index as number, marks[name]]));
  const corners = FACE_OVAL.flatMap((index, position) => (markAt.has(index) ? [position] : []));
  corners.forEach((position, i) => {
    const next = corners[(i + 1) % corners.length];
    const [first, last] = [FACE_OVAL[position], FACE_OVAL[next]];
    const [start, end] = [markAt.get(first), markAt.get(last)] as { x: number; y: number }[];
    const steps = (next - position + FACE_OVAL.length) % FACE_OVAL.length;
    for (let step = 0; step < steps; step++) {
      const index = FACE_OVAL[(position + step) % FACE_OVAL.length];
      const [share, height] = relativeTo(canonicalPoint(first), canonicalPoint(last), canonicalPoint(index));
      const [alongX, alongY] = [end.x - start.x, end.y - start.y];
      known.set(index, [start.x + share * alongX - height * alongY, start.y + share * alongY + height * alongX]);
    }
  });
}

/** Centre, then right, top, left and bottom of an iris. */
function drawIris(
  known: Map<number, PlanePoint>,
  first: number,
  centre: { x: number; y: number },
  left: { x: number; y: number },
  right: { x: number; y: number },
): void {
  const [alongX, alongY] = [IRIS_RADIUS * (right.x - left.x), IRIS_RADIUS * (right.y - left.y)];
  const offsets: PlanePoint[] = [
    [0, 0],
    [alongX, alongY],
    [alongY, -alongX],
    [-alongX, -alongY],
    [-alongY, alongX],
  ];
  offsets.forEach(([x, y], i) => {
    known.set(first + i, [centre.x + x, centre.y + y]);
  });
}
