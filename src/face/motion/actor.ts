// Moves the whole face: adds idle motion, blinks, gaze, accents and gestures to the mouth parameters.
import {
  FACE_PARAMETER_COUNT,
  type FacePose,
  FACE_PARAMETER_INDEX as K,
  toParameterVector,
} from "../../../shared/face-parameters.ts";
import { HOP_MS } from "../../../shared/units.ts";
import { blinkAt } from "./blinks.ts";
import { breathAt } from "./breathing.ts";
import { gazeAt } from "./gaze.ts";
import { GesturePlayer } from "./gesture-player.ts";
import { addIdleMotion } from "./idle-motion.ts";
import { ListeningPosture } from "./listening-posture.ts";
import { PhrasePosture } from "./phrase-posture.ts";
import { addSmallExpression } from "./small-expressions.ts";
import { StressAccents } from "./stress-accents.ts";

export interface ActorOptions {
  /** Integer. The same seed and audio give the same video. */
  seed: number;
  restPose: FacePose;
  gestures: ReadonlyMap<string, Float32Array>;
  /** Strength of head motion, 0..1. */
  headMotion: number;
}

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
  readonly #gestures: GesturePlayer;
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
    this.#gestures = new GesturePlayer(options.gestures);
  }

  /** Chest position of the last pose, from −1 (breathed out) to 1 (breathed in). */
  get breath(): number {
    return this.#breath;
  }

  /** A user starts or stops speaking: the face eases into the listening posture, or out of it. Idempotent. */
  listening(isListening: boolean): void {
    this.#listening.set(isListening);
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

  /** Returns what brings the face back to now. What was commanded since (gestures, listening) holds from then on. */
  remember(): () => void {
    const [speaking, lipsTaken, breath, wandering] = [this.#speaking, this.#lipsTaken, this.#breath, this.#wandering];
    const parts = [this.#accents, this.#phrases, this.#listening, this.#gestures].map((part) => part.remember());
    return () => {
      [this.#speaking, this.#lipsTaken, this.#breath, this.#wandering] = [speaking, lipsTaken, breath, wandering];
      for (const restorePart of parts) restorePart();
    };
  }

  /** Returns all face parameters of a tick, including the rest pose: float32 [21], valid until the next call. `mouth`:
   *  float32 [21] relative to rest; `levelDb`: loudness of the speech, null during silence; `closed`: how far speech
   *  has shut the lips, 0..1. */
  pose(tickIndex: number, mouth: Float32Array, levelDb: number | null, closed = 0): Float32Array {
    const { seed, headMotion } = this.#options;
    const timeMs = tickIndex * HOP_MS;
    this.#speaking += levelDb === null ? -SPEAKING_FALL * this.#speaking : SPEAKING_RISE * (1 - this.#speaking);
    this.#lipsTaken += LIPS_TAKEN * ((levelDb === null ? 0 : 1) - this.#lipsTaken);
    const pose = this.#pose;
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) pose[k] = this.#rest[k] + mouth[k];

    this.#breath = breathAt(seed, timeMs);
    addIdleMotion(pose, timeMs, { seed, speaking: this.#speaking, headMotion });
    addSmallExpression(pose, seed, timeMs, this.#speaking);
    this.#phrases.addTo(pose, levelDb, headMotion);
    this.#listening.addTo(pose, headMotion, 1 - this.#speaking);
    const accent = this.#accents.next(levelDb);
    const gaze = gazeAt(seed, timeMs);
    this.#wandering += GAZE_JUMP * ((this.#listening.isListening ? GAZE_WHILE_LISTENING : 1) - this.#wandering);
    const wandering = this.#wandering;
    const blink = blinkAt(seed, timeMs);
    const lids = blink + (1 - blink) * LID_FOLLOWS_GAZE * wandering * gaze.y;
    pose[K.pitch] += headMotion * accent.pitch;
    pose[K.brow] += accent.brow;
    pose[K.gazeX] += wandering * gaze.x;
    pose[K.gazeY] += wandering * gaze.y;
    pose[K.blinkL] += lids;
    pose[K.blinkR] += lids;
    this.#gestures.addTo(pose, { speaking: this.#speaking, shut: this.#lipsTaken * closed });
    for (let k = 0; k < FACE_PARAMETER_COUNT; k++) pose[k] = Math.min(HIGHEST[k], Math.max(LOWEST[k], pose[k]));
    return pose;
  }
}
