import { readdirSync, readFileSync } from "node:fs";
import t from "tap";
import { checkFaceMarks } from "../../../../src/face/portrait/check-face-marks.ts";
import {
  FACE_MARK_NAMES,
  type FaceMarkName,
  type FaceMarks,
  marksOfMesh,
} from "../../../../src/face/portrait/face-marks.ts";
import {
  anchorProblem,
  type FaceAnchors,
  faceAnchors,
  fitFaceMarks,
  mapByAnchors,
  mapMarks,
} from "../../../../src/face/portrait/fit-face-marks.ts";
import template from "../../../../src/face/portrait/mark-template.json" with { type: "json" };
import { meshFromMarks } from "../../../../src/face/portrait/mesh-from-marks.ts";
import { photographedFace } from "../../../helpers/faces/face-of.ts";

const GALLERY = new URL("../../../../models/gallery/", import.meta.url);
const UNIT: FaceAnchors = { pupilLeft: { x: 0, y: 0 }, pupilRight: { x: 1, y: 0 }, mouth: { x: 0.5, y: 1 } };
const LARGE = { widthPx: 4000, heightPx: 4000 };

const files = readdirSync(GALLERY);
const faces = files
  .filter((file) => file.endsWith(".points.json"))
  .map((file) => {
    const id = file.replace(".points.json", "");
    const points = JSON.parse(readFileSync(new URL(file, GALLERY), "utf8")) as number[][];
    return { id, isPainted: files.includes(`${id}.jpg`), marks: marksOfMesh(Float32Array.from(points.flat())) };
  });

/** Root mean square distance of the marks, in eye distances. */
function errorOf(placed: FaceMarks, right: FaceMarks): number {
  const eyes = Math.hypot(right.pupil_right.x - right.pupil_left.x, right.pupil_right.y - right.pupil_left.y);
  const squares = FACE_MARK_NAMES.map(
    (name) => (placed[name].x - right[name].x) ** 2 + (placed[name].y - right[name].y) ** 2,
  );
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length) / eyes;
}

function meanOf(marks: readonly FaceMarks[]): FaceMarks {
  const mean = (name: FaceMarkName, axis: "x" | "y") =>
    marks.reduce((sum, each) => sum + each[name][axis], 0) / marks.length;
  return mapMarks(marks[0], (_, name) => ({ x: mean(name, "x"), y: mean(name, "y") }));
}

/** The face and its mirror image, in the frame of the template. */
function bothSides(marks: FaceMarks): FaceMarks[] {
  const unit = mapByAnchors(marks, faceAnchors(marks), UNIT);
  const other = (name: string) =>
    (name.includes("left") ? name.replace("left", "right") : name.replace("right", "left")) as FaceMarkName;
  return [unit, mapMarks(unit, (_, name) => ({ x: 1 - unit[other(name)].x, y: unit[other(name)].y }))];
}

t.test("the template is halfway between the mean drawn and the mean painted face of the gallery", async (t) => {
  const means = [true, false].map((isPainted) =>
    meanOf(faces.filter((face) => face.isPainted === isPainted).flatMap(({ marks }) => bothSides(marks))),
  );
  const mean = meanOf(means);
  for (const [name, [x, y]] of Object.entries(template)) {
    const { x: rightX, y: rightY } = mean[name as FaceMarkName];
    t.ok(Math.hypot(x - rightX, y - rightY) < 0.001, `${name}: ${rightX.toFixed(3)} ${rightY.toFixed(3)}`);
  }
});

t.test("three points place all thirty near their places, on drawn, painted and photographed faces", async (t) => {
  for (const { id, isPainted, marks } of faces) {
    const placed = fitFaceMarks(faceAnchors(marks));
    t.ok(errorOf(placed, marks) < (isPainted ? 0.19 : 0.09), `${id}: ${errorOf(placed, marks).toFixed(3)}`);
    t.same(checkFaceMarks(placed, LARGE), [], id);
    t.ok(meshFromMarks(placed).every(Number.isFinite));
  }
  const photographed = marksOfMesh((await photographedFace()).points);
  t.ok(errorOf(fitFaceMarks(faceAnchors(photographed)), photographed) < 0.15);
});

t.test("the points are met, in a face that is tilted, long, or turned to the side", async (t) => {
  const triangles: FaceAnchors[] = [
    { pupilLeft: { x: 900, y: 900 }, pupilRight: { x: 1100, y: 1020 }, mouth: { x: 890, y: 1130 } },
    { pupilLeft: { x: 900, y: 900 }, pupilRight: { x: 1000, y: 900 }, mouth: { x: 950, y: 1130 } },
    { pupilLeft: { x: 900, y: 900 }, pupilRight: { x: 1100, y: 910 }, mouth: { x: 950, y: 1080 } },
  ];
  for (const anchors of triangles) {
    t.equal(anchorProblem(anchors), undefined);
    const placed = fitFaceMarks(anchors);
    for (const [name, { x, y }] of Object.entries(faceAnchors(placed))) {
      const wanted = anchors[name as keyof FaceAnchors];
      t.ok(Math.hypot(x - wanted.x, y - wanted.y) < 0.5, name);
    }
    t.same(checkFaceMarks(placed, LARGE), []);
  }
});

t.test("a guess of the same face gives its shape, and one of another place does not", async (t) => {
  const { marks } = faces.find(({ id }) => id === "mona-lisa")!;
  const anchors = faceAnchors(marks);
  t.ok(errorOf(fitFaceMarks(anchors, marks), marks) < 1e-9);
  const elsewhere = mapMarks(marks, ({ x, y }) => ({ x: x + 400, y }));
  t.same(fitFaceMarks(anchors, elsewhere), fitFaceMarks(anchors));
});

t.test("points that can't be pupils and mouth are refused with the reason", async (t) => {
  const [left, right] = [
    { x: 100, y: 100 },
    { x: 200, y: 100 },
  ];
  const problems: [FaceAnchors, RegExp][] = [
    [{ pupilLeft: left, pupilRight: left, mouth: { x: 150, y: 200 } }, /same place/],
    [{ pupilLeft: right, pupilRight: left, mouth: { x: 150, y: 200 } }, /wrong way round/],
    [{ pupilLeft: left, pupilRight: right, mouth: { x: 150, y: 20 } }, /above the eyes/],
    [{ pupilLeft: left, pupilRight: right, mouth: { x: 150, y: 110 } }, /too close/],
    [{ pupilLeft: left, pupilRight: right, mouth: { x: 300, y: 200 } }, /too far to the side/],
  ];
  for (const [anchors, reason] of problems) {
    t.match(anchorProblem(anchors), reason);
    t.throws(() => fitFaceMarks(anchors), RangeError);
  }
});
