import t from "tap";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  FACE_PARAMETERS,
  type FaceParameterName,
} from "../../../../shared/face-parameters.ts";
import { GESTURE_NAMES, type GestureName } from "../../../../shared/gesture-names.ts";
import { type GestureFace, OPEN_FACE } from "../../../../src/face/gestures/gesture-face.ts";
import { gestureTrack, gestureTracks } from "../../../../src/face/gestures/gesture-track.ts";
import { GESTURE_STEP_LIMITS } from "../../../../src/face/gestures/speed-limits.ts";
import { MouthShaper } from "../../../../src/face/lip-sync/mouth-shaper.ts";
import { Actor } from "../../../../src/face/motion/actor.ts";
import { VISEME_COUNT, VISEME_INDEX } from "../../../../src/speech/visemes/visemes.ts";

const LENGTHS = [1, 1.7, 3.3, 5, 10];
const STILL = new Float32Array(FACE_PARAMETER_COUNT);
const FACES: Record<string, GestureFace> = {
  open: OPEN_FACE,
  "in profile": { ...OPEN_FACE, turned: 1, winks: "left" },
  "with glasses, too near": { ...OPEN_FACE, brows: 0.4, room: 0.5 },
  "with sunglasses and a moustache": { ...OPEN_FACE, brows: 0.4, winks: "none", mouth: 0.6 },
};

const framesOf = (track: Float32Array) =>
  Array.from({ length: track.length / FACE_PARAMETER_COUNT }, (_, i) =>
    track.subarray(i * FACE_PARAMETER_COUNT, (i + 1) * FACE_PARAMETER_COUNT),
  );
const course = (track: Float32Array, name: FaceParameterName) =>
  framesOf(track).map((frame) => frame[FACE_PARAMETER_INDEX[name]]);
const peak = (values: ArrayLike<number>) => {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
  return most;
};
/** Largest change of a parameter from one frame to the next. */
const largestStep = (track: Float32Array, parameter: FaceParameterName) => {
  let most = 0;
  for (let at = FACE_PARAMETER_INDEX[parameter] + FACE_PARAMETER_COUNT; at < track.length; at += FACE_PARAMETER_COUNT) {
    most = Math.max(most, Math.abs(track[at] - track[at - FACE_PARAMETER_COUNT]));
  }
  return most;
};
/** The parameters that speech moves, too. */
const LIPS: readonly FaceParameterName[] = ["close", "jaw", "funnel", "pucker", "wide", "upraise", "rollU", "rollL"];

t.test("each gesture has its length, rests at both ends, and never jumps", async (t) => {
  for (const name of GESTURE_NAMES) {
    for (const seconds of LENGTHS) {
      for (const [label, face] of Object.entries(FACES)) {
        const track = gestureTrack(name, { seconds, seed: 3, face });
        const title = `${name}, ${seconds} s, ${label}`;
        const frames = track.length / FACE_PARAMETER_COUNT;
        if (frames !== Math.round(seconds * 25)) t.fail(`${title}: ${frames} frames`);
        const ends = [track.subarray(0, FACE_PARAMETER_COUNT), track.subarray(-FACE_PARAMETER_COUNT)];
        if (peak(ends.map(peak)) > 0) t.fail(`${title}: does not rest at its ends`);
        if (peak(track) > 1.05) t.fail(`${title}: leaves the range`);
        for (const parameter of FACE_PARAMETERS) {
          const step = largestStep(track, parameter);
          if (step > GESTURE_STEP_LIMITS[parameter] + 1e-6) t.fail(`${title}: ${parameter} jumps by ${step}`);
        }
      }
    }
  }
  t.throws(() => gestureTrack("nod", { seconds: 0.9 }), RangeError);
  t.throws(() => gestureTrack("nod", { seconds: 10.1 }), RangeError);
  t.throws(() => gestureTrack("nod", { seconds: Number.NaN }), RangeError);
});

t.test("a longer gesture has more movements at the same speed, and none of it stands still", async (t) => {
  const turns = (values: readonly number[]) => {
    const steps = values.slice(1).map((value, i) => value - values[i]);
    return steps.filter((step, i) => i > 0 && Math.sign(step) * Math.sign(steps[i - 1]) < 0).length;
  };
  const moved = (courses: readonly number[][], at: number, ticks: number) =>
    courses.reduce((sum, values) => {
      const seen = values.slice(at, at + ticks);
      return sum + Math.max(...seen) - Math.min(...seen);
    }, 0);
  for (const name of GESTURE_NAMES) {
    const [short, long] = [3, 10].map((seconds) => gestureTrack(name, { seconds }));
    const count = (track: Float32Array) => FACE_PARAMETERS.reduce((sum, k) => sum + turns(course(track, k)), 0);
    t.ok(count(long) > 1.6 * count(short), `${name}: ${count(short)} turns in 3 s, ${count(long)} in 10 s`);
    const courses = FACE_PARAMETERS.map((parameter) => course(long, parameter));
    const still = Array.from({ length: 40 }, (_, i) => 5 * i).filter((at) => moved(courses, at, 50) < 0.1);
    t.same(still, [], `${name} moves in any two seconds`);
  }
  const nods = course(gestureTrack("nod", { seconds: 5 }), "pitch");
  const longNods = course(gestureTrack("nod", { seconds: 10 }), "pitch");
  t.ok(Math.abs(peak(nods) - peak(longNods)) < 0.1, "with the same depth");
});

t.test("a seed decides all of a gesture", async (t) => {
  const made = (seed: number) =>
    new Map([...gestureTracks({ seconds: 8, seed })].map(([name, { buffer }]) => [name, Buffer.from(buffer)]));
  const [first, again, other] = [made(11), made(11), made(12)];
  for (const [name, track] of first) {
    t.ok(again.get(name)?.equals(track), name);
    t.notOk(other.get(name)?.equals(track), name);
  }
});

t.test("a gesture is what its name says", async (t) => {
  const has = (name: GestureName, parameter: FaceParameterName, least: number) =>
    t.ok(peak(course(gestureTrack(name), parameter)) >= least, `${name}: ${parameter}`);
  has("nod", "pitch", 0.7);
  has("shake", "yaw", 0.6);
  has("wink", "blinkR", 0.9);
  has("blow_kiss_heart", "pucker", 0.8);
  has("surprise", "brow", 0.7);
  has("thinking", "gazeX", 0.4);
  has("laugh", "jaw", 0.35);
  has("celebration_jump", "ty", 0.6);
  has("mini_wave_hello", "roll", 0.4);
  t.ok(peak(course(gestureTrack("wink"), "blinkL")) < 0.3, "one eye winks");
});

t.test("a face gets the gestures that it can show", async (t) => {
  const shake = (turned: number) => peak(course(gestureTrack("shake", { face: { ...OPEN_FACE, turned } }), "yaw"));
  t.ok(shake(1) < 0.5 * shake(0) && shake(0.5) < 0.8 * shake(0), "a turned head turns less");
  const wink = (winks: GestureFace["winks"]) => gestureTrack("wink", { face: { ...OPEN_FACE, winks } });
  t.same(course(wink("left"), "blinkL"), course(wink("right"), "blinkR"), "the nearer eye winks");
  t.same(
    course(wink("left"), "roll").map((value) => -value + 0),
    course(wink("right"), "roll").map((value) => value + 0),
  );
  t.equal(peak(course(wink("none"), "blinkR")), 0, "hidden eyes do not wink");
  t.ok(peak(course(wink("none"), "roll")) > peak(course(wink("right"), "roll")) + 0.2, "the head does");
});

t.test("while it speaks, a gesture neither parts shut lips nor hides that it plays", async (t) => {
  const heard = (isShut: boolean) => {
    const visemes = new Float32Array(VISEME_COUNT);
    visemes[isShut ? VISEME_INDEX.PP : VISEME_INDEX.aa] = 1;
    return { visemes, closurePeak: isShut ? 1 : 0, closureMean: isShut ? 1 : 0, speech: 1, levelDb: -20 };
  };
  /** Two frames of M or P in each fifth of a second of an open vowel. */
  const isShut = (tick: number) => tick % 5 < 2;
  const film = (gesture: GestureName | null, tracks: Map<string, Float32Array>) => {
    const actor = new Actor({ seed: 3, restPose: { close: 1 }, gestures: tracks, headMotion: 1 });
    const mouth = new MouthShaper();
    return Array.from({ length: 150 }, (_, tick) => {
      if (tick === 20 && gesture) t.ok(actor.trigger(gesture), gesture);
      return actor.pose(tick, mouth.speak(heard(isShut(tick))), -20, { lips: mouth }).slice();
    });
  };
  const tracks = gestureTracks({ seconds: 5 });
  const plain = film(null, tracks);
  for (const name of GESTURE_NAMES) {
    const acted = film(name, tracks);
    const change = (tick: number, k: number) => Math.abs(acted[tick][k] - plain[tick][k]);
    const shut = acted.map((_, tick) => tick).filter((tick) => tick > 20 && tick % 5 === 1);
    const parted = Math.max(...shut.flatMap((tick) => LIPS.map((lip) => change(tick, FACE_PARAMETER_INDEX[lip]))));
    t.ok(parted < 0.02, `${name}: lips that are shut move by ${parted.toFixed(3)}`);
    t.ok(
      acted.some((_, tick) => FACE_PARAMETERS.some((_, k) => change(tick, k) > 0.12)),
      `${name} is seen`,
    );
  }
});

t.test("a gesture that is stopped eases out, and one with a limit ends there", async (t) => {
  const play = (name: GestureName, at: number, end: (actor: Actor) => void, atMostMs?: number) => {
    const options = { seed: 3, restPose: {}, headMotion: 0 } as const;
    const actor = new Actor({ ...options, gestures: gestureTracks({ seconds: 10 }) });
    const idle = new Actor({ ...options, gestures: new Map() });
    actor.trigger(name, atMostMs);
    return Array.from({ length: 70 }, (_, tick) => {
      if (tick === at) end(actor);
      const pose = actor.pose(tick, STILL, null).slice();
      const rest = idle.pose(tick, STILL, null);
      return { pose: pose.map((value, k) => value - rest[k]), current: actor.gesture };
    });
  };
  const head: readonly FaceParameterName[] = ["yaw", "pitch", "roll", "tx", "ty", "jaw", "brow"];
  for (const name of GESTURE_NAMES) {
    for (const at of [8, 13, 21, 40]) {
      const frames = play(name, at, (actor) => actor.stopGesture());
      if (frames[at].current !== null || peak(frames[at + 11].pose) > 1e-6) t.fail(`${name} goes on after tick ${at}`);
      for (const parameter of head) {
        const k = FACE_PARAMETER_INDEX[parameter];
        const step = peak(frames.slice(1).map(({ pose }, i) => pose[k] - frames[i].pose[k]));
        if (step > GESTURE_STEP_LIMITS[parameter] + 0.1) t.fail(`${name} at ${at}: ${parameter} jumps by ${step}`);
      }
    }
  }
  const limited = play("laugh", 0, () => undefined, 1000);
  t.equal(limited[20].current, "laugh");
  t.ok(peak(limited[37].pose) < 1e-6, "over after a second and its fading");
});

t.test("a gesture's track depends on its name, so that a new gesture does not change it", async (t) => {
  // Pitch at each second of a track of ten: pauses and strengths come from the name and the seed.
  const pitches = {
    nod: [0.44, -0.07, 0.32, 0.01, 0, 0.25, 0, 0, 0.39],
    laugh: [0.02, 0, -0.11, 0.01, 0, 0.09, 0, 0.39, -0.09],
  };
  for (const [name, expected] of Object.entries(pitches)) {
    const pitch = course(gestureTrack(name as GestureName, { seconds: 10, seed: 3 }), "pitch");
    for (const [i, value] of expected.entries()) t.ok(Math.abs(pitch[25 * (i + 1)] - value) < 0.006, `${name}, ${i} s`);
  }
});
