// Moves the whole face: adds idle motion, blinks, gaze, accents, expressions and gestures to the mouth parameters.
import { type Expression, NEUTRAL } from "../../../shared/expressions.ts";
import {
  FACE_PARAMETER_COUNT,
  type FacePose,
  FACE_PARAMETER_INDEX as K,
  toParameterVector,
} from "../../../shared/face-parameters.ts";
import type { Manner } from "../../../shared/manners.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { blinkAt } from "./blinks.ts";
import { breathAt } from "./breathing.ts";
import { ExpressionChoice, type ExpressionSource } from "./expression-choice.ts";
import { ExpressionPlayer } from "./expression-player.ts";
import { expressionVector } from "./expression-poses.ts";
import { gazeAt } from "./gaze.ts";
import { GesturePlayer } from "./gesture-player.ts";
import { addIdleMotion } from "./idle-motion.ts";
import { ListeningPosture } from "./listening-posture.ts";
import type { HeardOfUser } from "./listening-reactions.ts";
import { PhrasePosture } from "./phrase-posture.ts";
import { addSmallExpression } from "./small-expressions.ts";
import { StressAccents } from "./stress-accents.ts";
import { ThinkingGaze } from "./thinking-gaze.ts";

export interface ActorOptions {
  /** Integer. The same seed and audio give the same video. */
  seed: number;
  restPose: FacePose;
  gestures: ReadonlyMap<string, Float32Array>;
  /** Strength of head motion, 0..1. */
  headMotion: number;
  /** What the face shows while nothing else sets its expression, from the start. Default neutral. */
  mood?: Expression;
  /** How lively it is by itself. Default natural. */
  manner?: Manner;
}

/** What speech does with the lips in one tick. */
export interface SpokenLips {
  /** How far speech has shut them, 0..1. */
  closed: number;
  /** How far a closure, or F and V, hold them, 0..1. */
  held: number;
}

/** What is said in one tick, besides its loudness. */
export interface SaidTick {
  /** Default: speech leaves them. */
  lips?: SpokenLips;
  /** What the face shows with it, whatever else was set. */
  expression?: Expression;
}

/** Size of the motion that no caller sets, by manner: 1 is that of a person in conversation. */
const LIVELINESS: Readonly<Record<Manner, number>> = { still: 0, natural: 1, animated: 1.5 };

const FREE_LIPS: SpokenLips = Object.freeze({ closed: 0, held: 0 });

/** Smoothing factors per tick for the start and the end of speech: about 0.3 s in, 0.8 s out, so that a short pause
 *  within a sentence does not look like its end. */
const SPEAKING_RISE = 0.12;
const SPEAKING_FALL = 0.05;
/** Smoothing factor per tick with which speech takes over the lips from a gesture: before its first word is heard. */
const LIPS_TAKEN = 0.4;
/** The lids follow the eyes: share of gazeY that is added to the lids. */
const LID_FOLLOWS_GAZE = 0.22;
/** Share of the idle gaze motion that remains while the avatar listens, and the smoothing factor per tick towards it.
 *  The factor is large, because eyes jump and do not drift. */
const GAZE_WHILE_LISTENING = 0.3;
const GAZE_JUMP = 0.6;

/** Range of each face parameter after everything is added; the rendered face looks broken outside it. Order of
 *  FACE_PARAMETERS. */
const LOWEST = toParameterVector({
  close: -1,
  jaw: -0.1,
  wide: -1,
  smile: -1.2,
  lowdep: -0.3,
  blinkL: -0.15,
  blinkR: -0.15,
  brow: -1,
  browInner: -1,
  browOuter: -1,
  lopsided: -1,
  gazeX: -1,
  gazeY: -1,
  yaw: -1.5,
  pitch: -1.5,
  roll: -2,
  tx: -2,
  ty: -2,
});
const HIGHEST = new Float32Array(FACE_PARAMETER_COUNT).fill(1);
for (const name of ["yaw", "pitch"] as const) HIGHEST[K[name]] = 1.5;
for (const name of ["roll", "tx", "ty"] as const) HIGHEST[K[name]] = 2;

/** The face motion of one avatar session, one call per tick. */
export class Actor {
  readonly #options: ActorOptions;
  readonly #rest: Float32Array;
  readonly #pose = new Float32Array(FACE_PARAMETER_COUNT);
  readonly #accents: StressAccents;
  readonly #phrases: PhrasePosture;
  readonly #listening: ListeningPosture;
  readonly #thinking: ThinkingGaze;
  readonly #gestures: GesturePlayer;
  readonly #expressions = new ExpressionChoice();
  readonly #expression: ExpressionPlayer;
  #speaking = 0;
  /** Share of the lips that speech has taken over, 0..1. */
  #lipsTaken = 0;
  #breath = 0;
  /** Scale of the gaze motion away from the viewer, 0..1. */
  #wandering = 1;

  constructor(options: ActorOptions) {
    this.#options = options;
    this.#rest = toParameterVector(options.restPose);
    this.#accents = new StressAccents(options.seed);
    this.#phrases = new PhrasePosture(options.seed);
    this.#listening = new ListeningPosture(options.seed);
    this.#thinking = new ThinkingGaze(options.seed);
    this.#gestures = new GesturePlayer(options.gestures);
    const { mood = NEUTRAL } = options;
    this.#expressions.set("mood", mood);
    this.#expression = new ExpressionPlayer(options.seed, mood);
  }

  /** Chest position of the last pose, from −1 (breathed out) to 1 (breathed in). */
  get breath(): number {
    return this.#breath;
  }

  /** A user starts or stops speaking: the face eases into the listening posture, or out of it. Idempotent. */
  listening(isListening: boolean): void {
    this.#listening.set(isListening);
  }

  /** A phrase of a user begins, or has ended: the face may react to its end. `lost`: the user is not heard any more. */
  heard(what: HeardOfUser): void {
    this.#listening.heard(what);
  }

  /** The avatar begins to think about an answer, or stops: the eyes leave the viewer meanwhile. Idempotent. */
  thinking(isThinking: boolean): void {
    this.#thinking.set(isThinking && this.#options.manner !== "still");
  }

  /** The gesture that plays and does not fade out. */
  get gesture(): string | null {
    return this.#gestures.current;
  }

  /** Starts a gesture, which fades out after `atMostMs`. Returns false if the avatar has no gesture of that name. */
  trigger(gesture: string, atMostMs?: number): boolean {
    return this.#gestures.trigger(gesture, atMostMs);
  }

  /** Fades out the gesture that plays. */
  stopGesture(): void {
    this.#gestures.stop();
  }

  /** The expression that is shown, or eased into with the next tick. */
  get expression(): Expression {
    return this.#expressions.current;
  }

  /** The face as it stands still, in its mood: float32 [33], rest pose included. */
  get still(): Float32Array {
    const mood = expressionVector(this.mood);
    return this.#rest.map((value, k) => Math.min(HIGHEST[k], Math.max(LOWEST[k], value + mood[k])));
  }

  /** What it shows while no other source has an expression. */
  get mood(): Expression {
    return this.#expressions.mood;
  }

  /** Sets the expression of a source for `atMostMs`; null takes it back. The last one before a tick counts. */
  express(source: ExpressionSource, expression: Expression | null, atMostMs?: number): void {
    this.#expressions.set(source, expression, atMostMs);
  }

  /** Returns what brings the face back to now. What was commanded since (gestures, listening, thinking, expressions)
   *  holds from then on. */
  remember(): () => void {
    const [speaking, lipsTaken, breath, wandering] = [this.#speaking, this.#lipsTaken, this.#breath, this.#wandering];
    const motions = [this.#accents, this.#phrases, this.#listening, this.#thinking, this.#gestures];
    const parts = [...motions, this.#expressions, this.#expression].map((part) => part.remember());
    return () => {
      [this.#speaking, this.#lipsTaken, this.#breath, this.#wandering] = [speaking, lipsTaken, breath, wandering];
      for (const restorePart of parts) restorePart();
    };
  }

  /** Returns all face parameters of a tick, including the rest pose: float32 [33], valid until the next call. `mouth`:
   *  float32 [33] relative to rest; `levelDb`: loudness of the speech, null during silence. */
  pose(tickIndex: number, mouth: Float32Array, levelDb: number | null, said: SaidTick = {}): Float32Array {
    const { seed, headMotion, manner = "natural" } = this.#options;
    const life = LIVELINESS[manner];
    const { lips: spoken = FREE_LIPS, expression } = said;
    const timeMs = tickIndex * HOP_MS;
    this.#speaking += levelDb === null ? -SPEAKING_FALL * this.#speaking : SPEAKING_RISE * (1 - this.#speaking);
    this.#lipsTaken += LIPS_TAKEN * ((levelDb === null ? 0 : 1) - this.#lipsTaken);
    const pose = this.#pose;
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) pose[k] = this.#rest[k] + mouth[k];

    this.#breath = breathAt(seed, timeMs);
    addIdleMotion(pose, timeMs, { seed, speaking: this.#speaking, headMotion, life });
    addSmallExpression(pose, seed, timeMs, { speaking: this.#speaking, life });
    this.#phrases.addTo(pose, levelDb, life * headMotion);
    // Who listens is no livelier than in conversation.
    this.#listening.addTo(pose, headMotion, Math.min(1, life) * (1 - this.#speaking));
    const accent = this.#accents.next(levelDb);
    const idleGaze = gazeAt(seed, timeMs);
    this.#wandering += GAZE_JUMP * ((this.#listening.isListening ? GAZE_WHILE_LISTENING : 1) - this.#wandering);
    const wandering = Math.min(1, life) * this.#wandering;
    const gaze = this.#thinking.next({ x: wandering * idleGaze.x, y: wandering * idleGaze.y });
    const blink = blinkAt(seed, timeMs);
    const lids = blink + (1 - blink) * LID_FOLLOWS_GAZE * gaze.y;
    pose[K.pitch] += life * headMotion * accent.pitch;
    pose[K.brow] += life * accent.brow;
    pose[K.gazeX] += gaze.x;
    pose[K.gazeY] += gaze.y;
    pose[K.blinkL] += lids;
    pose[K.blinkR] += lids;
    this.#gestures.addTo(pose, { speaking: this.#speaking, shut: this.#lipsTaken * spoken.closed });
    // The lips are those of the speech while the face speaks, at once where they meet each other or the teeth.
    const lips = 1 - Math.max(this.#lipsTaken, spoken.held);
    this.#expression.addTo(pose, this.#expressions.next(expression), { headMotion, lips });
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) pose[k] = Math.min(HIGHEST[k], Math.max(LOWEST[k], pose[k]));
    return pose;
  }
}
