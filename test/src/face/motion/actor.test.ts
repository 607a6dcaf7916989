import t from "tap";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  type FaceParameterName,
} from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import { Actor, type ActorOptions } from "../../../../src/face/motion/actor.ts";
import { blinkAt } from "../../../../src/face/motion/blinks.ts";
import { gazeAt } from "../../../../src/face/motion/gaze.ts";
import { hashUnit, smoothNoise } from "../../../../src/face/motion/smooth-noise.ts";

const MINUTE_TICKS = 1500;
const STILL = new Float32Array(FACE_PARAMETER_COUNT);

function createActor(options: Partial<ActorOptions> = {}): Actor {
  return new Actor({ seed: 3, restPose: { close: 1 }, gestures: new Map(), headMotion: 1, ...options });
}

/** One parameter over time. `levelDb` gives the loudness of each tick. */
function track(
  name: FaceParameterName,
  actor: Actor,
  ticks: number,
  levelDb: (tick: number) => number | null,
): number[] {
  return Array.from({ length: ticks }, (_, tick) => actor.pose(tick, STILL, levelDb(tick))[FACE_PARAMETER_INDEX[name]]);
}

const silence = () => null;
/** A stressed syllable every 0.8 s. */
const stressed = (tick: number) => (tick % 20 < 5 ? -15 : -35);

t.test("blinks occur every 0.5 to 7 s, close faster than they open, and are complete", async (t) => {
  const stepMs = 10;
  const lids = Array.from({ length: (10 * 60_000) / stepMs }, (_, i) => blinkAt(5, i * stepMs));
  const starts = lids.flatMap((value, i) => (value > 0.5 && lids[i - 1] <= 0.5 ? [i * stepMs] : []));
  t.ok(starts.length > 130 && starts.length < 230, `${starts.length} blinks in ten minutes`);
  const gaps = starts.slice(1).map((start, i) => start - starts[i]);
  t.ok(Math.max(...gaps) < 7000, `longest pause ${Math.max(...gaps)} ms`);
  t.ok(gaps.some((gap) => gap < 500) && gaps.filter((gap) => gap < 500).length < starts.length / 4, "a few are double");
  const first = starts[0] / stepMs;
  const shut = lids.indexOf(1, first);
  const closingMs = (shut - lids.lastIndexOf(0, first)) * stepMs;
  const openingMs = (lids.indexOf(0, shut) - lids.lastIndexOf(1, shut + 20)) * stepMs;
  t.ok(shut > 0 && closingMs < openingMs, `closes in ${closingMs} ms, opens in ${openingMs} ms`);
});

t.test("eyes rest and jump, and look at the viewer most of the time", async (t) => {
  const xs = Array.from({ length: MINUTE_TICKS }, (_, tick) => gazeAt(9, tick * HOP_MS).x);
  const still = xs.slice(1).filter((x, i) => x === xs[i]).length;
  t.ok(still > MINUTE_TICKS * 0.85, "at rest most of the time");
  t.ok(xs.filter((x) => Math.abs(x) <= 0.1).length > MINUTE_TICKS * 0.7, "near the viewer most of the time");
  t.ok(new Set(xs.map((x) => x.toFixed(3))).size > 30, "never the same place for long");
});

t.test("an idle face never freezes and does not repeat within ten minutes", async (t) => {
  const yaw = track("yaw", createActor(), MINUTE_TICKS * 10, silence);
  const pitch = track("pitch", createActor(), MINUTE_TICKS * 10, silence);
  for (let i = 0; i + 50 < yaw.length; i += 50) {
    const piece = yaw.slice(i, i + 50);
    if (Math.max(...piece) - Math.min(...piece) < 1e-3) t.fail(`stands still around tick ${i}`);
  }
  const minute = (k: number) => pitch.slice(k * MINUTE_TICKS, (k + 1) * MINUTE_TICKS);
  for (let k = 1; k < 10; k++) t.notSame(minute(k), minute(0), `minute ${k}`);
  const steps = yaw.slice(1).map((value, i) => Math.abs(value - yaw[i]));
  t.ok(Math.max(...steps) < 0.06, "and never jerks: under half a degree per frame");
});

t.test("stressed syllables cause nods and raised brows; headMotion scales the head but not the brow", async (t) => {
  const range = (values: number[]) => Math.max(...values) - Math.min(...values);
  const calm = track("brow", createActor(), 500, silence);
  const lively = track("brow", createActor(), 500, stressed);
  t.ok(range(lively) > range(calm) + 0.1, "brow");
  t.ok(range(track("pitch", createActor(), 500, stressed)) > range(track("pitch", createActor(), 500, silence)), "nod");
  for (const name of ["yaw", "pitch", "roll", "tx", "ty"] as const) {
    t.ok(
      track(name, createActor({ headMotion: 0 }), 200, stressed).every((value) => value === 0),
      `${name} is still`,
    );
  }
  t.same(track("brow", createActor({ headMotion: 0 }), 500, stressed), lively);
});

t.test("the rest pose is always part of the pose, and every parameter stays in range", async (t) => {
  const wild = new Float32Array(FACE_PARAMETER_COUNT).fill(9);
  const actor = createActor({ restPose: { close: 1, smile: -0.7 } });
  const pose = actor.pose(0, STILL, null);
  t.equal(pose[FACE_PARAMETER_INDEX.close], 1);
  t.ok(pose[FACE_PARAMETER_INDEX.smile] <= -0.55, "a smile that the rest pose takes back stays away");
  t.ok(actor.pose(1, wild, -10).every((value) => value <= 2));
  t.ok(
    actor
      .pose(
        2,
        wild.map((value) => -value),
        -10,
      )
      .every((value) => value >= -2),
  );
});

t.test("a gesture ends, and a new gesture fades out the previous one", async (t) => {
  const brow = (value: number, frames: number) => {
    const gesture = new Float32Array(frames * FACE_PARAMETER_COUNT);
    for (let i = 0; i < frames; i++) gesture[i * FACE_PARAMETER_COUNT + FACE_PARAMETER_INDEX.tongue] = value;
    return gesture;
  };
  const gestures = new Map([
    ["long", brow(0.8, 50)],
    ["short", brow(0.1, 3)],
  ]);
  const actor = createActor({ gestures });
  t.notOk(actor.trigger("unknown"));
  t.ok(actor.trigger("long"));
  const before = track("tongue", actor, 3, silence);
  t.ok(before.every((value) => Math.abs(value - 0.8) < 1e-6));
  t.ok(actor.trigger("short"));
  const after = track("tongue", actor, 14, silence);
  t.ok(after[0] > after[1] && after[1] > after[2] && after[2] > after[3], "fades");
  t.same(after.slice(10), [0, 0, 0, 0], "and both are over");
});

t.test("random values depend only on seed, stream and index, and are uniformly distributed", async (t) => {
  t.equal(hashUnit(1, 2, 3), hashUnit(1, 2, 3));
  const values = Array.from({ length: 10_000 }, (_, i) => hashUnit(7, 1, i));
  t.ok(values.every((value) => value >= 0 && value < 1));
  for (let k = 0; k < 10; k++) {
    const share = values.filter((value) => Math.floor(value * 10) === k).length / values.length;
    t.ok(Math.abs(share - 0.1) < 0.015, `tenth ${k}: ${share}`);
  }
  const noise = Array.from({ length: 5000 }, (_, i) => smoothNoise(4, 2, i / 25));
  t.ok(noise.every((value) => Math.abs(value) < 1.4));
  t.ok(Math.abs(noise.reduce((sum, value) => sum + value, 0) / noise.length) < 0.15);
});
