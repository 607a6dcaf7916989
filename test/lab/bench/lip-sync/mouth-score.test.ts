import t from "tap";
import { courseOf, resampleCourse, scoreAtBestOffset, scoreMouth } from "../../../../lab/bench/lip-sync/mouth-score.ts";
import type { MouthGroup } from "../../../../src/face/lip-sync/mouth-groups.ts";

const REFERENCE = courseOf(
  [
    { viseme: "aa", startMs: 100, endMs: 300 },
    { viseme: "PP", startMs: 300, endMs: 380 },
    { viseme: "U", startMs: 380, endMs: 600 },
    { viseme: "FF", startMs: 600, endMs: 700 },
    { viseme: "SS", startMs: 700, endMs: 800 },
  ],
  1000,
);

function shifted(course: readonly MouthGroup[], steps: number): MouthGroup[] {
  return course.map((_, step) => course[Math.min(course.length - 1, Math.max(0, step - steps))]);
}

t.test("a perfect mouth track scores one everywhere", async (t) => {
  const score = scoreMouth([{ reference: REFERENCE, detected: REFERENCE }]);
  for (const [name, value] of Object.entries(score)) t.ok(Math.abs(value - 1) < 1e-9, `${name}: ${value}`);
});

t.test("a late track loses closures beyond the tolerance, and the best offset equals the delay", async (t) => {
  const late = { reference: REFERENCE, detected: shifted(REFERENCE, 6) };
  const score = scoreMouth([late]);
  t.equal(score.bilabialF1Within40Ms, 0, "60 ms late");
  t.equal(score.bilabialF1Within80Ms, 1);
  t.ok(score.accuracy < 0.9);
  const best = scoreAtBestOffset([late]);
  t.equal(best.offsetMs, 60);
  t.ok(best.accuracy > 0.99 && best.bilabialF1Within40Ms === 1);
});

t.test("a mouth that never closes has no bilabials, and one that never moves no correlation", async (t) => {
  const detected = REFERENCE.map((): MouthGroup => "open");
  const score = scoreMouth([{ reference: REFERENCE, detected }]);
  t.equal(score.bilabialF1Within80Ms, 0);
  t.equal(score.opennessCorrelation, 0);
  t.ok(Math.abs(score.accuracy - 0.2) < 1e-9);
});

t.test("frames of 40 ms land on the grid of 10 ms, the last one as long as the audio", async (t) => {
  const course = resampleCourse(["silence", "open", "round"], 40, 130);
  t.equal(course.length, 13);
  t.same([course[3], course[4], course[11], course[12]], ["silence", "open", "round", "round"]);
  t.throws(() => scoreMouth([{ reference: REFERENCE, detected: course }]), RangeError);
});
