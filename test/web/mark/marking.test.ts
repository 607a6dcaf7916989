// The parts of the marking page that need no browser.
import t from "tap";
import { FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import { checkFaceMarks } from "../../../src/face/portrait/check-face-marks.ts";
import { FACE_MARK_NAMES } from "../../../src/face/portrait/face-marks.ts";
import { describeMark, explainProblem, FACE_PARTS, marksOf, partOf } from "../../../web/mark/face-parts.ts";
import { KeptMarking } from "../../../web/mark/kept-marking.ts";
import { Marking } from "../../../web/mark/marking.ts";
import { previewPose, ROUND_MS } from "../../../web/mark/preview-motion.ts";
import { spreadHandles } from "../../../web/mark/spread-handles.ts";
import { boxAround, fitBox, fitImage, panBy, toImage, toScreen, zoomAt } from "../../../web/mark/viewport.ts";

const IMAGE = { widthPx: 800, heightPx: 1000 };
const TAPS = [
  { x: 300, y: 400 },
  { x: 500, y: 400 },
  { x: 400, y: 600 },
];

function newMarking(onChange = () => {}): Marking {
  return new Marking({ image: IMAGE, guess: null, onChange });
}

function tapped(): Marking {
  const marking = newMarking();
  for (const tap of TAPS) t.equal(marking.tap(tap), undefined);
  return marking;
}

t.test("three taps place all marks; the pupils are checked then and the rest is left", async (t) => {
  const marking = newMarking();
  t.equal(marking.nextTap, "pupil-left");
  marking.tap(TAPS[0]);
  t.equal(marking.nextTap, "pupil-right");
  marking.tap(TAPS[1]);
  t.equal(marking.marks, null);
  t.match(marking.tap({ x: 400, y: 200 }), /above the eyes/, "nonsense is not taken");
  t.equal(marking.nextTap, "mouth", "and can be tapped again");
  marking.tap(TAPS[2]);
  t.equal(marking.nextTap, undefined);
  t.match(marking.marks, { pupil_left: TAPS[0], pupil_right: TAPS[1] });
  t.same(marking.problems, []);
  t.equal(marking.left.length, FACE_MARK_NAMES.length - 2);
});

t.test("a mark that is moved or called right is checked, and stays in the image", async (t) => {
  const marking = tapped();
  marking.move("chin", { x: -50, y: 900 });
  t.same(marking.marks?.chin, { x: 0, y: 900 });
  marking.check(["forehead"]);
  t.notOk(marking.left.includes("chin"));
  t.notOk(marking.left.includes("forehead"));
  t.match(marking.problems.join(), /chin/);
});

t.test("the whole face moves, turns and grows; what leaves the image is sent at its edge", async (t) => {
  const marking = tapped();
  const before = marking.marks!;
  marking.turn(0, 2);
  const eyes = marking.marks!.pupil_right.x - marking.marks!.pupil_left.x;
  t.equal(Math.round(eyes), 400);
  marking.turn(Math.PI / 2, 1);
  t.ok(
    Math.abs(marking.state.marks!.pupil_left.x - marking.state.marks!.pupil_right.x) < 1,
    "upright eyes lie above each other",
  );
  marking.turn(-Math.PI / 2, 0.5);
  marking.shift(-600, 0);
  t.ok(FACE_MARK_NAMES.every((name) => marking.marks![name].x >= 0));
  marking.shift(600, 0);
  for (const name of FACE_MARK_NAMES) {
    t.ok(Math.hypot(marking.marks![name].x - before[name].x, marking.marks![name].y - before[name].y) < 0.2, name);
  }
});

t.test("every step can be undone and done again, a drag at once", async (t) => {
  const marking = tapped();
  const placed = marking.state;
  marking.hold();
  for (let y = 700; y < 720; y++) marking.move("chin", { x: 400, y });
  marking.release();
  const dragged = marking.state;
  marking.undo();
  t.same(marking.state, placed, "the whole drag");
  marking.redo();
  t.same(marking.state, dragged);
  marking.undo();
  marking.check(["chin"]);
  t.notOk(marking.canRedo, "another step makes the old one unreachable");
  for (let i = 0; i < 4; i++) marking.undo();
  t.equal(marking.nextTap, "pupil-left", "back to the first tap");
  t.notOk(marking.canUndo);
  marking.undo();
  t.equal(marking.nextTap, "pupil-left");
  marking.hold();
  marking.release();
  t.notOk(marking.canUndo, "a press without a movement is no step");
});

t.test("at most two hundred steps are remembered", async (t) => {
  const marking = tapped();
  for (let i = 0; i < 300; i++) marking.shift(1, 0);
  let undone = 0;
  for (; marking.canUndo; undone++) marking.undo();
  t.equal(undone, 200);
});

t.test("what was placed is kept for its portrait only, and nothing else is believed", async (t) => {
  const values = new Map<string, string>();
  const storage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  const kept = new KeptMarking({ storage: () => storage, portrait: "/files/a" });
  t.equal(kept.read(), undefined);
  const { state } = tapped();
  kept.write(state);
  t.same(kept.read(), state);
  t.equal(new KeptMarking({ storage: () => storage, portrait: "/files/b" }).read(), undefined);
  const [key] = values.keys();
  const wrong = [
    "{",
    "null",
    JSON.stringify({ portrait: "/files/a", state: { ...state, checked: ["nose"] } }),
    JSON.stringify({ portrait: "/files/a", state: { ...state, marks: { chin: { x: 1, y: 2 } } } }),
    JSON.stringify({ portrait: "/files/a", state: { ...state, taps: [...TAPS, ...TAPS] } }),
    JSON.stringify({ portrait: "/files/a", state: { ...state, marks: null } }),
  ];
  for (const text of wrong) {
    values.set(key, text);
    t.equal(kept.read(), undefined, text.slice(0, 60));
  }
  kept.write(state);
  kept.forget();
  t.equal(kept.read(), undefined);
  const denied = new KeptMarking({
    storage: () => {
      throw new Error("denied");
    },
    portrait: "/files/a",
  });
  denied.write(state);
  denied.forget();
  t.equal(denied.read(), undefined, "without storage nothing fails");
});

t.test("every mark belongs to one part and has a name; problems are told with these names", async (t) => {
  t.same(FACE_PARTS.flatMap(marksOf).sort(), [...FACE_MARK_NAMES].sort());
  t.equal(partOf("chin").id, "outline");
  t.equal(describeMark("eye_left_outer"), "Left eye: outer corner of the eye");
  t.equal(describeMark("mouth_left"), "Mouth, left corner: corner of the mouth");
  const marks = { ...tapped().marks!, chin: { x: 400, y: 300 } };
  const [problem] = checkFaceMarks(marks, IMAGE);
  t.match(explainProblem(problem), /^“Outline, .*” should lie .*\.$/);
  t.notMatch(explainProblem("outside the image: chin, jaw_left"), /jaw_left/);
});

t.test("handles never overlap, and lie at their points where there is room", async (t) => {
  const [far, ...same] = spreadHandles(
    [
      { x: 400, y: 400 },
      { x: 100, y: 100 },
      { x: 100, y: 100 },
      { x: 104, y: 110 },
    ],
    44,
  );
  t.same(far, { x: 400, y: 400 });
  t.ok(same[0].y < same[1].y, "the upper one of two at one place stays above");
  for (const [i, first] of same.entries()) {
    for (const second of same.slice(i + 1)) {
      t.ok(Math.max(Math.abs(first.x - second.x), Math.abs(first.y - second.y)) >= 44 - 0.1);
    }
  }
});

t.test("the image is fitted, zoomed around the finger and never lost", async (t) => {
  const stage = { widthPx: 320, heightPx: 240 };
  const whole = fitImage(IMAGE, stage);
  t.equal(whole.scale, 0.24);
  t.match(toScreen(whole, { x: 399.5, y: 499.5 }), { x: 160, y: 120 });
  const at = { x: 60, y: 70 };
  const fixed = toImage(whole, at);
  const near = zoomAt(whole, at, 4, IMAGE, stage);
  t.ok(Math.hypot(toImage(near, at).x - fixed.x, toImage(near, at).y - fixed.y) < 1e-9);
  t.equal(zoomAt(near, at, 0.001, IMAGE, stage).scale, whole.scale, "not smaller than the whole image");
  const away = panBy(near, 1e6, -1e6, IMAGE, stage);
  const middle = toImage(away, { x: 160, y: 120 });
  t.ok(middle.x >= -0.5 && middle.x <= 799.5 && middle.y >= -0.5 && middle.y <= 999.5);
  const box = boxAround([
    { x: 10, y: 20 },
    { x: 60, y: 40 },
  ]);
  t.same(box, { x: 10, y: 20, widthPx: 50, heightPx: 20 });
  t.match(toScreen(fitBox(box, stage, 0), { x: 35, y: 30 }), { x: 160, y: 120 });
});

t.test("the preview opens the mouth, closes it, and blinks, and ends as it begins", async (t) => {
  const rest = { close: 1 };
  const at = (timeMs: number) => previewPose(rest, timeMs);
  t.equal(at(0)[K.jaw], 0);
  t.equal(at(0)[K.close], 1);
  t.ok(at(900)[K.jaw] > 0.7);
  t.equal(at(900)[K.blinkL], 0);
  t.equal(at(1800)[K.jaw], 0, "closed again");
  t.equal(at(2230)[K.blinkL], 1, "shut");
  t.same(at(ROUND_MS), at(0));
});
