// When a listening face reacts to a recording, and how well its reactions fit the phrases in it.
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import { HOP_MS, SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { Actor } from "../../../src/face/motion/actor.ts";
import { PhraseDetector } from "../../../src/speech/phrases/phrase-detector.ts";
import { type SpokenPhrases, uniform } from "./spoken-phrases.ts";

export interface Reaction {
  /** The first frame that moves is shown from then on. */
  atMs: number;
  kind: "nod" | "brow";
}

/** Counts, which can be added up. */
export interface ReactionScore {
  reactions: number;
  /** Reactions that begin within 300 ms after the end of a phrase. */
  inTime: number;
  insideWords: number;
  /** Ends of phrases, and those with a reaction. */
  ends: number;
  answered: number;
  /** The same for the ends of questions, and of statements, and raised brows. */
  questions: number;
  browsAfterQuestions: number;
  statements: number;
  browsAfterStatements: number;
  /** Shortest time between two reactions; infinite for fewer than two. */
  leastGapMs: number;
}

/** A frame moves if it differs by this much from that of a face that does not react. */
const MOVES = 0.01;
/** After this long without a difference the next one is another reaction, ticks. */
const STILL_TICKS = 4;
const IN_TIME_MS = 300;
const HOP_SAMPLES = (HOP_MS * SPEECH_SAMPLE_RATE_HZ) / 1000;
const SILENT = new Float32Array(FACE_PARAMETER_COUNT);

/** Reactions of the face to a recording that arrives in real time. `isTimer`: as it nods where no one is heard. */
export function reactionsTo({ samples }: Pick<SpokenPhrases, "samples">, seed: number, isTimer = false): Reaction[] {
  const face = actor(seed);
  const still = actor(seed);
  const detector = new PhraseDetector();
  still.heard("speech");
  for (const one of [face, still]) one.listening(true);
  const reactions: Reaction[] = [];
  let stillTicks = STILL_TICKS;
  const ticks = Math.floor(samples.length / HOP_SAMPLES);
  for (let tick = 0; tick < ticks; tick++) {
    // What has arrived before the frame is rendered.
    const arrived = samples.subarray((tick - 1) * HOP_SAMPLES, tick * HOP_SAMPLES);
    const heard = tick === 0 ? [] : detector.push(arrived);
    if (!isTimer) for (const what of heard) face.heard(what);
    // It follows the voice, and hears nothing that it could react to.
    still.heard("speech");
    const pose = face.pose(tick, SILENT, null).slice();
    const other = still.pose(tick, SILENT, null);
    const nod = pose[K.pitch] - other[K.pitch];
    const brow = pose[K.brow] - other[K.brow];
    if (Math.abs(nod) < MOVES && Math.abs(brow) < MOVES) {
      stillTicks += 1;
      continue;
    }
    if (stillTicks >= STILL_TICKS) reactions.push({ atMs: tick * HOP_MS, kind: brow > MOVES ? "brow" : "nod" });
    stillTicks = 0;
  }
  return reactions;
}

/** As many reactions of the same kinds, at random times. */
export function atRandomTimes(
  reactions: readonly Reaction[],
  { samples }: Pick<SpokenPhrases, "samples">,
  seed: number,
): Reaction[] {
  const draw = uniform(seed);
  const lengthMs = (samples.length * 1000) / SPEECH_SAMPLE_RATE_HZ;
  return reactions.map(({ kind }) => ({ kind, atMs: draw() * lengthMs })).sort((a, b) => a.atMs - b.atMs);
}

/** How well reactions fit the phrases. */
export function judgeReactions(reactions: readonly Reaction[], { ends, words }: SpokenPhrases): ReactionScore {
  const before = ({ atMs }: Reaction) => ends.findLast((end) => end.atMs < atMs);
  const inTime = reactions.filter((one) => one.atMs - (before(one)?.atMs ?? Number.NEGATIVE_INFINITY) <= IN_TIME_MS);
  const answered = new Set(inTime.map(before));
  const inside = reactions.filter(({ atMs }) => words.some(({ startMs, endMs }) => atMs > startMs && atMs < endMs));
  const brows = new Set(inTime.filter(({ kind }) => kind === "brow").map(before));
  const questions = ends.filter(({ isQuestion }) => isQuestion);
  const statements = ends.filter(({ isQuestion }) => !isQuestion);
  return {
    reactions: reactions.length,
    inTime: inTime.length,
    insideWords: inside.length,
    ends: ends.length,
    answered: answered.size,
    questions: questions.length,
    browsAfterQuestions: questions.filter((end) => brows.has(end)).length,
    statements: statements.length,
    browsAfterStatements: statements.filter((end) => brows.has(end)).length,
    leastGapMs: Math.min(...reactions.slice(1).map(({ atMs }, index) => atMs - reactions[index].atMs)),
  };
}

/** The scores of several recordings as one. */
export function addScores(scores: readonly ReactionScore[]): ReactionScore {
  const sum = (name: keyof ReactionScore) => scores.reduce((total, score) => total + score[name], 0);
  return {
    reactions: sum("reactions"),
    inTime: sum("inTime"),
    insideWords: sum("insideWords"),
    ends: sum("ends"),
    answered: sum("answered"),
    questions: sum("questions"),
    browsAfterQuestions: sum("browsAfterQuestions"),
    statements: sum("statements"),
    browsAfterStatements: sum("browsAfterStatements"),
    leastGapMs: Math.min(...scores.map(({ leastGapMs }) => leastGapMs)),
  };
}

function actor(seed: number): Actor {
  return new Actor({ seed, restPose: { close: 1 }, gestures: new Map(), headMotion: 1 });
}
