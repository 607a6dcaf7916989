// What a viewer would notice over minutes: freezing, repeating, jerking.
import t from "tap";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  FACE_PARAMETERS,
  type FaceParameterName,
} from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import { gestureTracks } from "../../../../src/face/gestures/gesture-track.ts";
import { Actor } from "../../../../src/face/motion/actor.ts";
import { breathAt } from "../../../../src/face/motion/breathing.ts";

const STILL = new Float32Array(FACE_PARAMETER_COUNT);
const SECOND_TICKS = 25;
const MINUTE_TICKS = 60 * SECOND_TICKS;
/** Largest step per frame while no gesture plays: lids and eyes jump, as in people; the head moves less than 2°. */
const LARGEST_STEP: Partial<Record<FaceParameterName, number>> = {
  yaw: 0.08,
  pitch: 0.2,
  roll: 0.1,
  tx: 0.06,
  ty: 0.06,
  brow: 0.3,
  smile: 0.06,
};

function createActor(seed = 3): Actor {
  return new Actor({ seed, restPose: { close: 1 }, gestures: gestureTracks(), headMotion: 1 });
}

/** Speech in phrases of 2.4 s with stressed syllables and pauses of 0.8 s. */
const talking = (tick: number): number | null => (tick % 80 < 60 ? (tick % 11 < 4 ? -14 : -34) : -70);
const silent = (): number | null => null;

function film(actor: Actor, ticks: number, level: (tick: number) => number | null, each?: (tick: number) => void) {
  return Array.from({ length: ticks }, (_, tick) => {
    each?.(tick);
    return actor.pose(tick, STILL, level(tick)).slice();
  });
}

function largestSteps(poses: readonly Float32Array[]): Map<FaceParameterName, number> {
  return new Map(
    FACE_PARAMETERS.map((name, k) => [
      name,
      Math.max(...poses.slice(1).map((pose, i) => Math.abs(pose[k] - poses[i][k]))),
    ]),
  );
}

const valuesOf = (poses: readonly Float32Array[], name: FaceParameterName) =>
  poses.map((pose) => pose[FACE_PARAMETER_INDEX[name]]);
const range = (values: readonly number[]) => Math.max(...values) - Math.min(...values);

t.test("idle, speech, interruptions and listening follow one another without a jerk", async (t) => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const actor = createActor(seed);
    // Changes every few seconds at irregular times: silence, speech that is interrupted within a stressed syllable,
    // listening.
    const level = (tick: number) => (tick % 231 < 120 ? talking(tick) : null);
    const poses = film(actor, 4 * MINUTE_TICKS, level, (tick) => actor.listening(tick % 231 > 150 && tick % 231 < 205));
    const steps = largestSteps(poses);
    for (const [name, limit] of Object.entries(LARGEST_STEP)) {
      t.ok(
        steps.get(name as FaceParameterName)! <= limit,
        `seed ${seed}: ${name} steps by ${steps.get(name as FaceParameterName)}`,
      );
    }
  }
});

t.test("a listening head starts to move gently, and the eyes jump to the user instead of drifting", async (t) => {
  const actor = createActor(2);
  const poses = film(actor, 400, silent, (tick) => actor.listening(tick >= 150 && tick < 280));
  const roll = valuesOf(poses, "roll");
  const jerks = roll.map((value, k) => (k < 2 ? 0 : Math.abs(value - 2 * roll[k - 1] + roll[k - 2])));
  t.ok(Math.max(...jerks) < 0.01, `speed changes by ${Math.max(...jerks).toFixed(4)} in a tick`);
  t.ok(Math.max(...jerks.slice(150, 200)) > 0, "and it does set out");
  const gaze = valuesOf(poses, "gazeX");
  const drifting = gaze.filter((value, k) => k > 0 && Math.abs(value - gaze[k - 1]) > 1e-4).length;
  t.ok(drifting < 90, `eyes move in ${drifting} of 400 ticks`);
});

t.test(
  "an idle face is never completely still for a second, and no ten seconds repeat within ten minutes",
  async (t) => {
    const poses = film(createActor(), 10 * MINUTE_TICKS, silent);
    const features = ["yaw", "pitch", "roll", "brow", "smile"] as const;
    const tracks = features.map((name) => valuesOf(poses, name));
    for (let start = 0; start + SECOND_TICKS <= poses.length; start += SECOND_TICKS) {
      const moved = tracks.reduce((sum, track) => sum + range(track.slice(start, start + SECOND_TICKS)), 0);
      if (moved < 0.01) t.fail(`frozen at second ${start / SECOND_TICKS}`);
    }
    const length = 10 * SECOND_TICKS;
    const distance = (a: number, b: number) => {
      let sum = 0;
      for (const track of tracks) for (let i = 0; i < length; i += 5) sum += Math.abs(track[a + i] - track[b + i]);
      return sum / (features.length * (length / 5));
    };
    let nearest = Number.POSITIVE_INFINITY;
    for (let a = 0; a + length <= poses.length; a += length) {
      for (let b = a + length; b + length <= poses.length; b += SECOND_TICKS)
        nearest = Math.min(nearest, distance(a, b));
    }
    t.ok(nearest > 0.02, `the two most alike differ by ${nearest.toFixed(4)} on average`);
  },
);

t.test("breathing is regular and visible, and no two breaths are the same", async (t) => {
  const breaths = Array.from({ length: 5 * MINUTE_TICKS }, (_, tick) => breathAt(7, tick * HOP_MS));
  t.ok(breaths.every((value) => value >= -1 && value <= 1));
  const starts = breaths.flatMap((value, i) => (value >= 0 && breaths[i - 1] < 0 ? [i] : []));
  const lengths = starts.slice(1).map((start, i) => (start - starts[i]) / SECOND_TICKS);
  t.ok(
    lengths.every((seconds) => seconds > 2.5 && seconds < 8),
    `lengths ${lengths}`,
  );
  t.ok(new Set(lengths).size > lengths.length / 4, "lengths vary");
  for (const [i, start] of starts.slice(1).entries())
    t.ok(range(breaths.slice(starts[i], start)) > 1, "every breath is seen");
});

t.test(
  "a listening avatar tilts the head, raises the brows, looks at the user and nods, but not while it speaks",
  async (t) => {
    const ticks = MINUTE_TICKS;
    const idle = film(createActor(), ticks, silent);
    const actor = createActor();
    const listening = film(actor, ticks, silent, () => actor.listening(true));
    const mean = (poses: Float32Array[], name: FaceParameterName) =>
      valuesOf(poses, name).reduce((sum, value) => sum + value, 0) / poses.length;
    t.ok(Math.abs(mean(listening, "roll") - mean(idle, "roll")) > 0.2, "tilts");
    t.ok(mean(listening, "brow") - mean(idle, "brow") > 0.1, "lifts the brows");
    t.ok(range(valuesOf(listening, "gazeX")) < 0.5 * range(valuesOf(idle, "gazeX")), "looks at the speaker");
    const nodding = valuesOf(listening, "pitch").map((value, i) => value - idle[i][FACE_PARAMETER_INDEX.pitch]);
    const nods = nodding.filter((value, i) => value > 0.2 && nodding[i - 1] <= 0.2).length;
    t.ok(nods >= 4 && nods < 40, `${nods} times down in a minute`);
    const [speaker, rival] = [createActor(), createActor()];
    const alone = film(speaker, 400, () => -20);
    const talkedOver = film(
      rival,
      400,
      () => -20,
      () => rival.listening(true),
    );
    const last = (poses: Float32Array[]) => poses[poses.length - 1][FACE_PARAMETER_INDEX.roll];
    t.ok(Math.abs(last(alone) - last(talkedOver)) < 0.01);
  },
);

t.test("speech takes most of the mouth from a gesture", async (t) => {
  const pucker = (level: (tick: number) => number | null) => {
    const actor = createActor();
    const warmUp = film(actor, 60, level);
    t.equal(warmUp.length, 60);
    actor.trigger("blow_kiss_heart");
    return Math.max(...valuesOf(film(actor, 50, level), "pucker"));
  };
  t.ok(pucker(silent) > 0.8, "a kiss in silence");
  t.ok(pucker(talking) < 0.3, "a hint of one while words need the lips");
});
