// Listening posture: head slightly tilted and forward, eyes on the user, brows slightly raised. Where the user is heard
// the face reacts to their phrases; otherwise it nods from time to time.
import { FACE_PARAMETER_INDEX as K } from "../../../shared/face-parameters.ts";
import { smoothstep } from "../../signal/math/smoothstep.ts";
import { type HeardOfUser, ListeningReactions } from "./listening-reactions.ts";
import { hashUnit } from "./smooth-noise.ts";

/** Smoothing factors per tick into and out of the posture, applied twice (two-pole smoothing) to avoid a jerk at the
 *  start: about half a second in, one second out. */
const RISE = 0.15;
const FALL = 0.09;
/** Smoothing factor per tick for a change of the tilted side. */
const TILT = 0.08;
/** Length of a slot in ticks, and the share of slots that hold a nod. A slot holds at most one. */
const NOD_SLOT_TICKS = 95;
const NOD_SHARE = 0.6;
const NOD_TICKS = 34;
/** Ticks of listening before the first nod. */
const FIRST_NOD_TICKS = 45;
/** A new turn begins only if the posture's strength has fallen below this. */
const NEW_TURN_BELOW = 0.05;
const STREAM = 51;

/** The posture of one avatar, one call per tick. Deterministic for a seed. */
export class ListeningPosture {
  readonly #seed: number;
  /** Strength of the posture, 0..1. */
  #strength = 0;
  #isListening = false;
  /** First stage of the smoothing; `#strength` follows it. */
  #eased = 0;
  #turns = 0;
  #sinceTurn = 0;
  #tilt = 0;
  /** Whether the nod of this slot plays. */
  #isNodding = false;
  readonly #reactions: ListeningReactions;

  constructor(seed: number) {
    this.#seed = seed;
    this.#reactions = new ListeningReactions(seed);
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** A user starts or stops speaking. Idempotent. */
  set(isListening: boolean): void {
    // After a short pause of the user, the same turn and a nod in progress continue.
    if (isListening && !this.#isListening && this.#strength < NEW_TURN_BELOW) {
      this.#turns += 1;
      this.#sinceTurn = 0;
    }
    this.#isListening = isListening;
  }

  /** The user was heard; the face may react with its next frame. */
  heard(what: HeardOfUser): void {
    this.#reactions.heard(what);
  }

  /** Returns what brings the posture back to now. Whether the user speaks, and what was heard of them, holds from then
   *  on. */
  remember(): () => void {
    const restoreReactions = this.#reactions.remember();
    const [strength, wasListening, eased] = [this.#strength, this.#isListening, this.#eased];
    const [turns, sinceTurn, tilt] = [this.#turns, this.#sinceTurn, this.#tilt];
    const isNodding = this.#isNodding;
    return () => {
      restoreReactions();
      this.#isNodding = isNodding;
      const isListening = this.#isListening;
      [this.#strength, this.#isListening, this.#eased] = [strength, wasListening, eased];
      [this.#turns, this.#sinceTurn, this.#tilt] = [turns, sinceTurn, tilt];
      this.set(isListening);
    };
  }

  /** Adds the posture of one tick to a pose. `headMotion` 0..1 scales the head motion, `share` 0..1 the whole
   *  posture. */
  addTo(pose: Float32Array, headMotion: number, share: number): void {
    const speed = this.#isListening ? RISE : FALL;
    this.#eased += speed * ((this.#isListening ? 1 : 0) - this.#eased);
    this.#strength += speed * (this.#eased - this.#strength);
    this.#sinceTurn += 1;
    // The tilted side changes from one turn to the next, smoothed.
    this.#tilt += TILT * ((hashUnit(this.#seed, STREAM, this.#turns) < 0.5 ? -1 : 1) - this.#tilt);
    const head = headMotion * this.#strength;
    pose[K.roll] += share * head * 0.34 * this.#tilt;
    pose[K.yaw] += share * head * 0.1 * this.#tilt;
    pose[K.pitch] += share * head * (0.1 + this.#nod());
    pose[K.ty] += share * head * 0.12;
    pose[K.brow] += share * 0.14 * this.#strength;
    pose[K.smile] += share * 0.06 * this.#strength;
    this.#reactions.addTo(pose, { isListening: this.#isListening, headMotion, share });
  }

  /** Returns the nod of this tick: down and up twice, the second time with less depth. */
  #nod(): number {
    const ticks = this.#sinceTurn - FIRST_NOD_TICKS;
    if (ticks < 0) return 0;
    const slot = Math.floor(ticks / NOD_SLOT_TICKS);
    const draw = (stream: number) => hashUnit(this.#seed, STREAM + stream, this.#turns * 1009 + slot);
    if (draw(1) >= NOD_SHARE) return 0;
    const start = Math.floor(draw(2) * (NOD_SLOT_TICKS - NOD_TICKS));
    const nodTicks = (ticks % NOD_SLOT_TICKS) - start;
    if (nodTicks <= 0 || nodTicks >= NOD_TICKS) return 0;
    // A nod that has begun goes on when the first phrase is heard.
    if (nodTicks === 1) this.#isNodding = !this.#reactions.followsVoice;
    if (!this.#isNodding) return 0;
    const share = nodTicks / NOD_TICKS;
    const swing = Math.sin(2 * Math.PI * share) ** 2 * (share < 0.5 ? 1 : 0.55);
    return (0.2 + 0.16 * draw(3)) * swing * smoothstep(share, 0, 0.1);
  }
}
