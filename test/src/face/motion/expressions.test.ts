// Expressions of a face that is silent, and of one that speaks.
import t from "tap";
import { EXPRESSION_NAMES, type Expression, type ExpressionName, NEUTRAL } from "../../../../shared/expressions.ts";
import {
  FACE_PARAMETER_COUNT,
  FACE_PARAMETER_INDEX,
  FACE_PARAMETERS,
  type FaceParameterName,
} from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import type { Engine, FramePose } from "../../../../src/face/engine/engine.ts";
import { GESTURE_STEP_LIMITS } from "../../../../src/face/gestures/speed-limits.ts";
import { MouthShaper } from "../../../../src/face/lip-sync/mouth-shaper.ts";
import { Actor, type ActorOptions } from "../../../../src/face/motion/actor.ts";
import { ExpressionChoice } from "../../../../src/face/motion/expression-choice.ts";
import { ExpressionPlayer } from "../../../../src/face/motion/expression-player.ts";
import { EXPRESSION_POSES } from "../../../../src/face/motion/expression-poses.ts";
import { withEngine } from "../../../helpers/faces/with-engine.ts";
import { BILABIAL_SENTENCES, speakSentences } from "../../../helpers/speech/spoken.ts";

const STILL = new Float32Array(FACE_PARAMETER_COUNT);
const LIPS: readonly FaceParameterName[] = ["close", "jaw", "funnel", "wide", "upraise", "lowdep", "rollU", "rollL"];
const of = (emotion: ExpressionName, intensity = 1): Expression => ({ emotion, intensity });

function createActor(options: Partial<ActorOptions> = {}): Actor {
  return new Actor({ seed: 3, restPose: { close: 1 }, gestures: new Map(), headMotion: 1, ...options });
}

/** What a face adds in each of `ticks` to all other motion. `act` sets expressions before each. */
function added(
  ticks: number,
  act: (choice: ExpressionChoice, tick: number) => void,
  { seed = 3, mood = NEUTRAL, headMotion = 1 } = {},
): Float32Array[] {
  const [choice, player] = [new ExpressionChoice(), new ExpressionPlayer(seed, mood)];
  choice.set("mood", mood);
  return Array.from({ length: ticks }, (_, tick) => {
    act(choice, tick);
    const pose = STILL.slice();
    player.addTo(pose, choice.next(), { headMotion, lips: 1 });
    return pose;
  });
}

const difference = (one: Float32Array, other: Float32Array) =>
  Math.max(...one.map((value, k) => Math.abs(value - other[k])));

/** Ticks from the first movement to the last. */
function movedTicks(poses: readonly Float32Array[]): number {
  const moving = poses.slice(1).flatMap((pose, i) => (difference(pose, poses[i]) > 1e-5 ? [i] : []));
  return moving.length === 0 ? 0 : moving[moving.length - 1] - moving[0] + 1;
}

t.test("each expression is another face, in proportion to its intensity", async (t) => {
  const whole = EXPRESSION_NAMES.map((name) => added(1, () => undefined, { mood: of(name) })[0]);
  for (const [i, name] of EXPRESSION_NAMES.entries()) {
    for (const other of whole.slice(i + 1)) t.ok(difference(whole[i], other) > 0.15, `${name} is like no other`);
    const half = added(1, () => undefined, { mood: of(name, 0.5) })[0];
    for (const k of [FACE_PARAMETER_INDEX.roll, FACE_PARAMETER_INDEX.jaw]) {
      t.ok(Math.abs(half[k] - whole[i][k] / 2) < 1e-6, `half of ${name}`);
    }
    t.ok(difference(added(1, () => undefined, { mood: of(name, 0) })[0], STILL) < 1e-6, "none at 0");
  }
  const head = added(1, () => undefined, { mood: of("sad"), headMotion: 0 })[0];
  t.equal(head[FACE_PARAMETER_INDEX.pitch], 0, "a face without head motion keeps its head still");
});

t.test("a face is surprised in 160 to 320 ms, others take 320 to 640, and back it goes in 600 to 1,200", async (t) => {
  for (const seed of [1, 2, 3, 4, 5]) {
    for (const name of EXPRESSION_NAMES.slice(1)) {
      const poses = added(
        80,
        (choice, tick) => {
          if (tick === 10) choice.set("request", of(name, 0.6));
          if (tick === 40) choice.set("request", null);
        },
        { seed },
      );
      const there = movedTicks(poses.slice(0, 40)) * HOP_MS;
      const back = movedTicks(poses.slice(39)) * HOP_MS;
      const [least, most] = name === "surprised" ? [160, 320] : [320, 640];
      t.ok(there >= least && there <= most, `seed ${seed}: ${name} in ${there} ms`);
      t.ok(back >= 600 && back <= 1200, `seed ${seed}: back from ${name} in ${back} ms`);
      t.ok(difference(poses[79], STILL) < 1e-5, "nothing stays");
    }
  }
});

t.test("no parameter exceeds its step, from any expression to any other and however often it changes", async (t) => {
  const check = (poses: readonly Float32Array[], title: string) => {
    for (const [k, name] of FACE_PARAMETERS.entries()) {
      const step = Math.max(...poses.slice(1).map((pose, i) => Math.abs(pose[k] - poses[i][k])));
      if (step > GESTURE_STEP_LIMITS[name] + 1e-5) t.fail(`${title}: ${name} steps by ${step}`);
    }
  };
  const all = EXPRESSION_NAMES.flatMap((one) => EXPRESSION_NAMES.map((other) => [one, other] as const));
  for (const [one, other] of all) {
    const poses = added(60, (choice, tick) => {
      if (tick === 5) choice.set("request", of(one));
      if (tick === 30) choice.set("request", of(other));
    });
    check(poses, `${one} to ${other}`);
    const expected = added(1, () => undefined, { mood: of(other) })[0];
    t.ok(difference(poses[59], expected) < 1e-5, `${other} is reached`);
  }
  // A thousand changes a second: forty in each frame.
  let random = 7;
  const draw = () => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return random / 2 ** 32;
  };
  const last: Expression[] = [];
  const wild = added(250, (choice, tick) => {
    for (let change = 0; change < 40; change++) {
      last[tick] = of(EXPRESSION_NAMES[Math.floor(8 * draw())], draw());
      choice.set("request", last[tick]);
    }
  });
  check(wild, "a thousand changes a second");
  const calm = added(250, (choice, tick) => choice.set("request", last[tick]));
  t.same(wild, calm, "of the changes within a frame the last one counts");
});

t.test("a request comes before the mood, and ends after its time", async (t) => {
  const actor = createActor({ mood: of("content", 0.5) });
  t.same(actor.expression, of("content", 0.5));
  actor.express("request", of("angry"), 1_000);
  actor.express("mood", of("happy"));
  t.same(actor.expression, of("angry"));
  for (let tick = 0; tick < 24; tick++) actor.pose(tick, STILL, null);
  t.same(actor.expression, of("angry"));
  actor.pose(24, STILL, null);
  t.same(actor.expression, of("happy"), "25 frames later");
  actor.express("request", NEUTRAL);
  t.same(actor.expression, NEUTRAL, "a neutral face can be requested");
  actor.express("request", null);
  t.same(actor.expression, of("happy"));
  actor.express("request", of("sad"), 0);
  t.same(actor.expression, of("happy"), "no time is no expression");
});

t.test("the same seed and commands give the same face, also when poses are taken back", async (t) => {
  const command = (actor: Actor) => actor.express("request", of("surprised", 0.8), 400);
  const straight = createActor();
  for (let tick = 0; tick < 10; tick++) straight.pose(tick, STILL, null);
  command(straight);
  const expected = Array.from({ length: 40 }, (_, i) => straight.pose(10 + i, STILL, null).slice());
  for (const ahead of [3, 30]) {
    const actor = createActor();
    for (let tick = 0; tick < 10; tick++) actor.pose(tick, STILL, null);
    const restore = actor.remember();
    for (let tick = 10; tick < 10 + ahead; tick++) {
      // Also one that was set before some of the poses that are taken back, and one that has ended in them.
      if (tick === 11) command(actor);
      actor.pose(tick, STILL, null);
    }
    restore();
    t.same(
      Array.from({ length: 40 }, (_, i) => actor.pose(10 + i, STILL, null).slice()),
      expected,
      `${ahead} poses taken back`,
    );
  }
});

t.test(
  "a still face breathes and blinks and shows what is set; an animated one moves more than a natural one",
  async (t) => {
    const film = (manner: ActorOptions["manner"], act: (actor: Actor, tick: number) => void = () => undefined) => {
      const actor = createActor({ manner });
      return Array.from({ length: 750 }, (_, tick) => {
        act(actor, tick);
        return actor.pose(tick, STILL, tick % 100 < 60 ? (tick % 11 < 4 ? -14 : -34) : null).slice();
      });
    };
    const valuesOf = (poses: Float32Array[], name: FaceParameterName) =>
      poses.map((pose) => pose[FACE_PARAMETER_INDEX[name]]);
    const range = (values: number[]) => Math.max(...values) - Math.min(...values);
    const [still, natural, animated] = [film("still"), film("natural"), film("animated")];
    t.same(natural, film(undefined), "natural is the default");
    for (const name of ["yaw", "roll", "tx", "brow", "gazeX", "gazeY"] as const) {
      t.equal(range(valuesOf(still, name)), 0, `${name} is still`);
      t.ok(range(valuesOf(natural, name)) > 0.05, `${name} moves by itself`);
    }
    for (const name of ["yaw", "roll", "pitch", "brow"] as const) {
      t.ok(range(valuesOf(animated, name)) > 1.2 * range(valuesOf(natural, name)), `${name} moves more`);
    }
    t.ok(range(valuesOf(still, "ty")) > 0.1, "it breathes");
    t.equal(Math.max(...valuesOf(still, "blinkL")), 1, "and blinks");
    const told = film("still", (actor, tick) => {
      if (tick === 10) actor.express("request", of("sad"));
      if (tick === 20) actor.listening(true);
      if (tick === 30) actor.thinking(true);
    });
    t.ok(Math.abs(valuesOf(told, "roll")[60] - EXPRESSION_POSES.sad.roll!) < 1e-5, "it shows what is set, and no more");
  },
);

const SENTENCES = [BILABIAL_SENTENCES[0], "Five brave vets often have very fine fish for every fifth of February."];
const spoken = await speakSentences(SENTENCES, ["M1"]);

/** The poses of a sentence. `act` commands the engine before each. */
async function speak(
  sentence: number,
  mood: Expression,
  act: (engine: Engine, frame: number) => void = () => undefined,
) {
  const poses: FramePose[] = [];
  await withEngine({ seed: 5, mood }, async (engine) => {
    const { samples, sampleRateHz } = spoken[sentence];
    const segment = engine.openSegment("speech", sampleRateHz);
    segment.push(samples);
    segment.end();
    const frames = Math.floor((samples.length * 1000) / sampleRateHz / HOP_MS);
    for (let frame = 0; frame < frames; frame++) {
      const { frameInput } = await engine.nextAudio();
      act(engine, frame);
      poses.push(engine.pose(frameInput));
    }
  });
  return poses;
}

/** The same poses with another mood, from what was heard in each frame. */
function speakAgain(heard: readonly FramePose[], mood: Expression, act?: (actor: Actor, frame: number) => void) {
  const actor = new Actor({ seed: 5, restPose: {}, gestures: new Map(), headMotion: 1, mood });
  const mouth = new MouthShaper();
  return heard.map(({ input: { speech } }, frame) => {
    act?.(actor, frame);
    const lips = speech ? mouth.speak(speech) : mouth.rest();
    return actor.pose(frame, lips, speech?.levelDb ?? null, { lips: mouth }).slice();
  });
}

t.test("lips that speech closes, or puts to the teeth, are those of a neutral face in every expression", async (t) => {
  for (const sentence of SENTENCES.keys()) {
    const heard = await speak(sentence, NEUTRAL);
    const neutral = heard.map(({ parameters }) => parameters);
    t.same(speakAgain(heard, NEUTRAL), neutral);
    const isHeld = ({ [FACE_PARAMETER_INDEX.rollL]: lower }: Float32Array) => lower > 0.4;
    const held = neutral.flatMap((pose, frame) => (isHeld(pose) ? [frame] : []));
    t.ok(held.length >= 8, `${held.length} frames with closures or F and V`);
    for (const name of EXPRESSION_NAMES.slice(1)) {
      const begun = speakAgain(heard, NEUTRAL, (actor, frame) => {
        // Begins with each closure.
        if (held.includes(frame) && !held.includes(frame - 1)) actor.express("request", of(name), 200);
      });
      for (const [title, poses] of [
        [name, speakAgain(heard, of(name))],
        [`${name}, begun in closures`, begun],
      ] as const) {
        const changes = held.flatMap((frame) =>
          LIPS.map((lip) =>
            Math.abs(poses[frame][FACE_PARAMETER_INDEX[lip]] - neutral[frame][FACE_PARAMETER_INDEX[lip]]),
          ),
        );
        t.ok(Math.max(...changes) < 0.03, `${title}: held lips move by ${Math.max(...changes).toFixed(3)}`);
        t.ok(Math.max(...poses.map((pose, frame) => difference(pose, neutral[frame]))) > 0.05, "and it is seen");
      }
    }
    const surprised = await speak(sentence, of("happy"), (engine, frame) => {
      if (frame === held[2]) engine.express("request", of("surprised"));
    });
    t.same(
      surprised.map(({ parameters }) => parameters),
      speakAgain(heard, of("happy"), (actor, frame) => {
        if (frame === held[2]) actor.express("request", of("surprised"));
      }),
      "an engine does the same",
    );
  }
});

t.test("a segment's expressions come with its audio, before all others, and end with it or with a clear", async (t) => {
  const tone = Int16Array.from({ length: 16_000 }, (_, i) => 6_000 * Math.sin(i / 8));
  const shown = async (act: (engine: Engine, frame: number) => void, isEnded = true) => {
    const expressions: (string | undefined)[] = [];
    await withEngine({ mood: of("content") }, async (engine) => {
      const segment = engine.openSegment("speech", 16_000);
      segment.express(of("happy"), 200);
      segment.push(tone.subarray(0, 8_000));
      segment.express(of("sad"));
      segment.push(tone.subarray(8_000));
      if (isEnded) segment.end();
      for (let frame = 0; frame < 30; frame++) {
        act(engine, frame);
        expressions.push((await engine.nextAudio()).frameInput.expression?.emotion);
      }
    });
    return expressions;
  };
  const whole = await shown((engine, frame) => frame === 3 && engine.express("request", of("angry")));
  t.same(whole.slice(0, 5), Array(5).fill(undefined), "200 ms");
  t.same(whole.slice(5, 12), Array(7).fill("happy"));
  t.same(whole.slice(13, 24), Array(11).fill("sad"), "from half a second on");
  t.same(whole.slice(26), Array(4).fill(undefined), "until its end");
  const cut = await shown((engine, frame) => frame === 15 && engine.clear());
  t.same([cut[14], ...cut.slice(15)], ["sad", ...Array(15).fill(undefined)], "an interruption ends it at once");
  const starved = await shown(() => undefined, false);
  t.same(starved.slice(20), Array(10).fill("sad"), "a segment that waits for its sender keeps it");
  const actor = createActor({ mood: of("content") });
  actor.express("request", of("surprised"), 80);
  const brow = Array.from(
    { length: 30 },
    (_, tick) => actor.pose(tick, STILL, -20, { expression: of("angry") })[FACE_PARAMETER_INDEX.browInner],
  );
  t.ok(brow[29] < -0.5, "it comes before a request");
  actor.pose(30, STILL, null);
  t.same(actor.expression, of("content"), "its time passes meanwhile");
});

t.test("silent lips follow an expression, and poses stay in range", async (t) => {
  const jaw = added(40, (choice, tick) => tick === 5 && choice.set("request", of("surprised")));
  t.ok(Math.abs(jaw[30][FACE_PARAMETER_INDEX.jaw] - EXPRESSION_POSES.surprised.jaw!) < 1e-5);
  const spoken = new Float32Array(FACE_PARAMETER_COUNT);
  new ExpressionPlayer(1, of("sad")).addTo(spoken, of("sad"), { headMotion: 1, lips: 0 });
  t.equal(spoken[FACE_PARAMETER_INDEX.press], 0, "speech has the lips");
  const corners = EXPRESSION_POSES.sad.cornersDown! / 2;
  t.ok(Math.abs(spoken[FACE_PARAMETER_INDEX.cornersDown] - corners) < 1e-5, "and lets the corners hang by half");
  for (const pose of Object.values(EXPRESSION_POSES)) {
    for (const value of Object.values(pose)) t.ok(Math.abs(value) <= 1);
  }
});
