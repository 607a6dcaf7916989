import { readFileSync } from "node:fs";
import t from "tap";
import { checkFaceMarks } from "../../../../src/face/portrait/check-face-marks.ts";
import {
  averageMarks,
  FACE_MARK_NAMES,
  FACE_MARKS,
  type FaceMarks,
  marksOfMesh,
} from "../../../../src/face/portrait/face-marks.ts";
import {
  LEFT_EYE,
  LOWER_LIP_INNER,
  pointAt,
  pointsAt,
  RIGHT_EYE,
  UPPER_LIP_INNER,
} from "../../../../src/face/portrait/face-points.ts";
import { meshFromMarks } from "../../../../src/face/portrait/mesh-from-marks.ts";
import { FACE_OVAL, LOWER_LIP_OUTER, UPPER_LIP_OUTER } from "../../../../src/face/portrait/mesh-points.ts";
import { createFaceGeometry } from "../../../../src/face/rig/measure/face-geometry.ts";
import { photographedFace } from "../../../helpers/faces/face-of.ts";

const IMAGE = { widthPx: 768, heightPx: 768 };

function galleryPoints(id: string): Float32Array {
  const url = new URL(`../../../../models/gallery/${id}.points.json`, import.meta.url);
  return Float32Array.from((JSON.parse(readFileSync(url, "utf8")) as number[][]).flat());
}

/** Root mean square distance of some points in the image plane, in parts of the distance between the pupils. */
function distanceOf(first: Float32Array, second: Float32Array, indices: readonly number[]): number {
  const eyePx = Math.hypot(first[3 * 473] - first[3 * 468], first[3 * 473 + 1] - first[3 * 468 + 1]);
  const squares = indices.map(
    (index) => (first[3 * index] - second[3 * index]) ** 2 + (first[3 * index + 1] - second[3 * index + 1]) ** 2,
  );
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length) / eyePx;
}

/** The largest distance of a line's points from the other mesh's line, as a share of the distance between the pupils.
 *  The position of a point along the line does not matter. */
function distanceToLine(points: Float32Array, mesh: Float32Array, line: readonly number[]): number {
  const eyePx = Math.hypot(points[3 * 473] - points[3 * 468], points[3 * 473 + 1] - points[3 * 468 + 1]);
  const distances = pointsAt(points, line).map(({ x, y }) =>
    Math.min(
      ...pointsAt(mesh, line)
        .slice(1)
        .map((end, i) => {
          const start = pointAt(mesh, line[i]);
          const [alongX, alongY] = [end.x - start.x, end.y - start.y];
          const share = ((x - start.x) * alongX + (y - start.y) * alongY) / (alongX ** 2 + alongY ** 2);
          const nearest = Math.min(1, Math.max(0, share));
          return Math.hypot(x - start.x - nearest * alongX, y - start.y - nearest * alongY);
        }),
    ),
  );
  return Math.max(...distances) / eyePx;
}

function turned(marks: FaceMarks, angleRad: number): FaceMarks {
  const [cos, sin] = [Math.cos(angleRad), Math.sin(angleRad)];
  return mapMarks(marks, ({ x, y }) => ({
    x: 384 + (x - 384) * cos - (y - 384) * sin,
    y: 384 + (x - 384) * sin + (y - 384) * cos,
  }));
}

function mapMarks(marks: FaceMarks, change: (mark: { x: number; y: number }) => { x: number; y: number }): FaceMarks {
  return Object.fromEntries(FACE_MARK_NAMES.map((name) => [name, change(marks[name])])) as unknown as FaceMarks;
}

t.test("there are at most thirty marks, each with its own mesh point", async (t) => {
  t.ok(FACE_MARKS.length <= 30);
  t.equal(new Set(FACE_MARKS.map(({ index }) => index)).size, FACE_MARKS.length);
});

t.test(
  "the mesh passes through every mark, and lids, lips and outline follow them on drawn people, a fox and a robot",
  async (t) => {
    const lines = {
      lids: [LEFT_EYE.upper, LEFT_EYE.lower, RIGHT_EYE.upper, RIGHT_EYE.lower],
      lips: [UPPER_LIP_OUTER, LOWER_LIP_OUTER, UPPER_LIP_INNER, LOWER_LIP_INNER],
      rim: [[...FACE_OVAL, FACE_OVAL[0]]],
    };
    for (const id of ["maya", "elias", "noor", "rusty", "bolt"]) {
      const points = galleryPoints(id);
      const marks = marksOfMesh(points);
      t.same(checkFaceMarks(marks, IMAGE), [], id);
      const mesh = meshFromMarks(marks);
      t.equal(mesh.length, 3 * 478);
      t.ok(mesh.every(Number.isFinite));
      const marked = FACE_MARKS.map(({ index }) => index as number);
      t.ok(distanceOf(points, mesh, marked) < 0.005, `${id}: marks are met`);
      for (const [name, groups] of Object.entries(lines)) {
        const error = Math.max(...groups.map((line) => distanceToLine(points, mesh, line)));
        t.ok(error < 0.04, `${id}: ${name} ${error.toFixed(3)} of the eye distance off at most`);
      }
    }
  },
);

t.test("on a photograph, marks taken from detected points give almost the same points", async (t) => {
  const { points } = await photographedFace();
  const all = Array.from({ length: 468 }, (_, index) => index);
  const error = distanceOf(points, meshFromMarks(marksOfMesh(points)), all);
  t.ok(error < 0.05, `${error}`);
});

t.test("a tilted head gives the same mesh, tilted, and passes the checks", async (t) => {
  const marks = marksOfMesh(galleryPoints("kenji"));
  const tilted = turned(marks, 0.4);
  t.same(checkFaceMarks(tilted, IMAGE), []);
  const [upright, mesh] = [meshFromMarks(marks), meshFromMarks(tilted)];
  const back = meshFromMarks(turned(tilted, -0.4));
  for (const index of [1, 4, 50, 280, 168]) {
    const { x, y } = turned({ ...marks, chin: { x: upright[3 * index], y: upright[3 * index + 1] } }, 0.4).chin;
    t.ok(Math.hypot(mesh[3 * index] - x, mesh[3 * index + 1] - y) < 0.5);
    t.ok(Math.abs(back[3 * index] - upright[3 * index]) < 0.5);
  }
});

t.test("closed lips stay closed along their whole width, even if the marks are uneven", async (t) => {
  const marks = marksOfMesh(galleryPoints("maya"));
  const { lip_upper_bottom: seam } = marks;
  const mesh = meshFromMarks({ ...marks, lip_lower_top: { x: seam.x + 6, y: seam.y }, lip_upper_bottom: seam });
  const { mouth } = createFaceGeometry(mesh, 768);
  t.ok(mouth.maxGap < 0.02, `${mouth.maxGap}`);
});

t.test("the average face passes the checks at every position", async (t) => {
  for (const image of [IMAGE, { widthPx: 300, heightPx: 900 }, { widthPx: 1280, heightPx: 720 }]) {
    t.same(checkFaceMarks(averageMarks(image), image), []);
    t.ok(meshFromMarks(averageMarks(image)).every(Number.isFinite));
  }
});

t.test("marks that cannot form a face are refused, and the message names them", async (t) => {
  const marks = marksOfMesh(galleryPoints("maya"));
  const swapped = { ...marks, pupil_left: marks.pupil_right, pupil_right: marks.pupil_left };
  t.ok(checkFaceMarks(swapped, IMAGE).length > 5, "the wrong way round nothing fits");
  t.match(checkFaceMarks({ ...marks, chin: { x: 400, y: 800 } }, IMAGE), [/^outside the image: chin$/]);
  t.match(checkFaceMarks({ ...marks, chin: marks.forehead }, IMAGE), [/chin should lie below lip_lower_bottom/]);
  t.match(checkFaceMarks({ ...marks, mouth_left: marks.mouth_right }, IMAGE).join(), /lip_upper_top .*mouth_left/);
  t.match(checkFaceMarks({ ...marks, eye_left_upper: marks.lip_upper_top }, IMAGE).join(), /eye_left_lower/);
  const tiny = mapMarks(marks, ({ x, y }) => ({ x: 0.1 * x, y: 0.1 * y }));
  t.match(checkFaceMarks(tiny, IMAGE), [/pupils are \d+ px apart/]);
});
