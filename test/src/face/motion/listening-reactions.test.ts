// What a listening face does with the phrases that it hears.
import t from "tap";
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX as K } from "../../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../../shared/units.ts";
import { Actor } from "../../../../src/face/motion/actor.ts";
import type { HeardOfUser } from "../../../../src/face/motion/listening-reactions.ts";
import { addScores, atRandomTimes, judgeReactions, reactionsTo } from "../../../helpers/speech/judge-reactions.ts";
import { SENTENCES, withPhrases } from "../../../helpers/speech/spoken-phrases.ts";

const SILENT = new Float32Array(FACE_PARAMETER_COUNT);
const GAP_TICKS = 3_000 / HOP_MS;
const MOVES = 0.01;

function createActor(seed = 3): Actor {
  return new Actor({ seed, restPose: { close: 1 }, gestures: new Map(), headMotion: 1 });
}

interface Moved {
  pitch: number[];
  brow: number[];
}

/** How the face differs from one that hears only speech. `heard`: by tick. `levelDb`: of its own speech. */
function difference(
  ticks: number,
  heard: Readonly<Record<number, HeardOfUser>>,
  { seed = 3, levelDb = null as number | null } = {},
): Moved {
  const [face, other] = [createActor(seed), createActor(seed)];
  for (const one of [face, other]) one.listening(true);
  const moved: Moved = { pitch: [], brow: [] };
  for (let tick = 0; tick < ticks; tick++) {
    other.heard("speech");
    face.heard(heard[tick] ?? "speech");
    const pose = face.pose(tick, SILENT, levelDb).slice();
    const still = other.pose(tick, SILENT, levelDb);
    moved.pitch.push(pose[K.pitch] - still[K.pitch]);
    moved.brow.push(pose[K.brow] - still[K.brow]);
  }
  return moved;
}

const beginnings = (values: readonly number[]) =>
  values.flatMap((value, tick) => (Math.abs(value) > MOVES && Math.abs(values[tick - 1] ?? 0) <= MOVES ? [tick] : []));

t.test("the brows rise after a question, and the head nods after a statement, from the next frame on", async (t) => {
  const question = difference(100, { 20: "question" });
  t.equal(beginnings(question.brow)[0], 20);
  t.ok(Math.max(...question.brow) > 0.35, `up to ${Math.max(...question.brow)}`);
  t.ok(Math.max(...question.pitch) < MOVES, "no nod");
  t.ok(Math.abs(question.brow[60]) < MOVES, "and they come down");
  // Of two statements in turn at least one has a nod.
  const statements = difference(220, { 20: "statement", 120: "statement" });
  const nods = beginnings(statements.pitch);
  t.ok(nods[0] === 20 || nods[0] === 120, `${nods}`);
  t.ok(Math.max(...statements.pitch) > 0.2, "down");
  t.ok(Math.max(...statements.brow.map(Math.abs)) < MOVES, "no brows");
});

t.test("there is at most one reaction in three seconds, and enough of them", async (t) => {
  for (const everyTicks of [20, 50, 80, 130]) {
    const heard = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [(i + 1) * everyTicks, "statement"] as const),
    );
    for (const seed of [1, 2, 3]) {
      const { pitch } = difference(61 * everyTicks, heard, { seed });
      // A reaction lasts less than a second.
      const starts = Object.keys(heard)
        .map(Number)
        .filter((tick) => pitch[tick] > MOVES && Math.abs(pitch[tick - 1]) < MOVES);
      const gaps = starts.slice(1).map((tick, i) => tick - starts[i]);
      t.ok(Math.min(...gaps) >= GAP_TICKS, `${Math.min(...gaps)} ticks between two, a phrase each ${everyTicks}`);
      const share = starts.length / 60;
      if (everyTicks >= 50)
        t.ok(share >= 0.35 && share <= 0.8, `${share} of phrases that end each ${everyTicks} ticks`);
    }
  }
});

t.test("a face that speaks does not react", async (t) => {
  const speaking = difference(150, { 60: "question" }, { levelDb: -20 });
  t.same([...beginnings(speaking.brow), ...beginnings(speaking.pitch)], []);
});

t.test(
  "speech that goes on, or a microphone that is lost, before the next frame leaves the reaction out",
  async (t) => {
    for (const last of ["speech", "lost"] as const) {
      const [face, other] = [createActor(), createActor()];
      for (const what of ["speech", "question", last] as const) face.heard(what);
      other.heard(last);
      for (let tick = 0; tick < 40; tick++) t.same(face.pose(tick, SILENT, null), other.pose(tick, SILENT, null), last);
    }
  },
);

t.test(
  "a listening face that hears no one nods from time to time, as does one that has lost its microphone",
  async (t) => {
    const film = (each: (actor: Actor, tick: number) => void): number[] => {
      const actor = createActor(5);
      actor.listening(true);
      return Array.from({ length: 1_500 }, (_, tick) => {
        each(actor, tick);
        return actor.pose(tick, SILENT, null)[K.pitch];
      });
    };
    const unheard = film(() => undefined);
    const heard = film((actor, tick) => tick % 100 === 0 && actor.heard("speech"));
    const lost = film((actor, tick) => {
      if (tick < 500) actor.heard("speech");
      else if (tick === 500) actor.heard("lost");
    });
    const silent = film((actor, tick) => tick === 0 && actor.heard("speech"));
    const nodsFrom = (pitch: readonly number[], from: number) =>
      beginnings(pitch.map((value, tick) => value - heard[tick])).filter((tick) => tick > from).length;
    t.ok(nodsFrom(unheard, 0) >= 5, "by the timer");
    t.ok(
      beginnings(lost.map((value, tick) => value - heard[tick])).every((tick) => tick >= 500),
      "no timer while heard",
    );
    t.ok(nodsFrom(lost, 500) >= 3, "and the timer again");
    t.ok(nodsFrom(silent, 320) >= 3, "so it does if someone speaks for twelve seconds and no phrase is heard");
  },
);

t.test("a pose that is taken back has its reaction again, unless more was heard", async (t) => {
  const film = (isTakenBack: boolean, then: HeardOfUser | undefined): Float32Array[] => {
    const face = createActor();
    face.heard("question");
    if (isTakenBack) {
      const restore = [face.remember()];
      face.pose(0, SILENT, null);
      restore.push(face.remember());
      face.pose(1, SILENT, null);
      if (then) face.heard(then);
      for (const each of restore.reverse()) each();
    } else if (then) face.heard(then);
    return Array.from({ length: 60 }, (_, tick) => face.pose(tick, SILENT, null).slice());
  };
  for (const then of [undefined, "speech", "question"] as const) t.same(film(true, then), film(false, then), `${then}`);
});

t.test("the eyes leave the viewer while the avatar thinks, and stay while it listens", async (t) => {
  const farShare = (command: (actor: Actor) => void, seed: number): number => {
    const actor = createActor(seed);
    command(actor);
    const far = Array.from({ length: 500 }, (_, tick) => {
      const pose = actor.pose(tick, SILENT, null);
      return Math.hypot(pose[K.gazeX], pose[K.gazeY]) > 0.2;
    });
    return far.filter(Boolean).length / far.length;
  };
  for (const seed of [1, 2, 3, 4]) {
    const thinking = farShare((actor) => actor.thinking(true), seed);
    t.ok(thinking > 0.5 && thinking < 1, `seed ${seed}: away for ${thinking}`);
    t.ok(farShare((actor) => actor.listening(true), seed) < 0.01, "at the person while listening");
  }
  const actor = createActor();
  const xs = Array.from({ length: 200 }, (_, tick) => {
    if (tick === 50) actor.thinking(true);
    if (tick === 100) actor.thinking(false);
    return actor.pose(tick, SILENT, null).slice();
  });
  const other = createActor();
  const idle = Array.from({ length: 200 }, (_, tick) => other.pose(tick, SILENT, null).slice());
  t.ok(xs.slice(60, 80).every((pose, i) => Math.hypot(pose[K.gazeX] - idle[60 + i][K.gazeX], pose[K.gazeY]) > 0.1));
  t.ok(
    xs.slice(120).every((pose, i) => Math.abs(pose[K.gazeX] - idle[120 + i][K.gazeX]) < 0.01),
    "they come back",
  );
});

t.test("on speech, reactions come in time, outside words, and far better than at random times", async (t) => {
  await withPhrases(async (speakPhrases) => {
    const real = [];
    const random = [];
    const timer = [];
    for (const [index, [language, sentences]] of Object.entries(SENTENCES).entries()) {
      for (const voiceId of ["M1", "F1"]) {
        const spoken = await speakPhrases(sentences, { voiceId, language, seed: index + 1 });
        const reactions = reactionsTo(spoken, index);
        t.same(reactionsTo(spoken, index), reactions, "the same audio and seed give the same reactions");
        real.push(judgeReactions(reactions, spoken));
        timer.push(judgeReactions(reactionsTo(spoken, index, true), spoken));
        for (let draw = 0; draw < 10; draw++)
          random.push(judgeReactions(atRandomTimes(reactions, spoken, index * 10 + draw), spoken));
      }
    }
    const [score, byChance, byTimer] = [real, random, timer].map(addScores);
    const inTime = score.inTime / score.reactions;
    t.comment(`in time ${inTime}, by chance ${byChance.inTime / byChance.reactions}, of ${score.reactions}`);
    t.comment(`the timer ${byTimer.inTime / byTimer.reactions}, of ${byTimer.reactions}`);
    t.ok(inTime >= 0.7, `${inTime} in time`);
    t.ok(inTime - byChance.inTime / byChance.reactions >= 0.4, "better than by chance");
    t.ok(inTime - byTimer.inTime / byTimer.reactions >= 0.4, "better than a timer");
    t.equal(score.insideWords, 0, "none inside a word");
    t.ok(score.leastGapMs >= 3_000, `${score.leastGapMs} ms between two`);
    const answered = score.answered / score.ends;
    t.ok(answered >= 0.35 && answered <= 0.8, `${answered} of the phrases are answered`);
  });
});
