// How a face listens: head a little tilted and forward, eyes on the speaker, brows a little up, a nod now and then.
import type { FacePose } from "../../shared/face-parameters.ts";
import { hashUnit, smoothStep } from "./smooth-noise.ts";

/** Shares of the way into and out of the posture in one tick, gone twice, one after the other, so that it begins without a jerk: about half a
 *  second in, a second out. */
const RISE = 0.15;
const FALL = 0.09;
/** The same of the side that the head is tilted to. */
const TILT = 0.08;
/** At most one nod falls into each slot of this many ticks, and into how many of them one does. */
const NOD_SLOT_TICKS = 95;
const NOD_SHARE = 0.6;
const NOD_TICKS = 34;
/** Until the first nod people have listened for a while. */
const FIRST_NOD_TICKS = 45;
/** A new turn begins only once the posture has been given up so far. */
const NEW_TURN_BELOW = 0.05;
const STREAM = 51;

/** One listener, one call a tick. Deterministic for a seed. */
export class ListeningPosture {
  /** How far the posture is taken up, 0..1. */
  strength = 0;
  readonly #seed: number;
  #isListening = false;
  /** What `strength` follows. */
  #drawn = 0;
  #turns = 0;
  #sinceTurn = 0;
  #tilt = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /** Others begin to speak, or stop. Repeats change nothing. */
  set(isListening: boolean): void {
    // Somebody who only paused is still the same speaker, and a nod under way goes on.
    if (isListening && !this.#isListening && this.strength < NEW_TURN_BELOW) {
      this.#turns += 1;
      this.#sinceTurn = 0;
    }
    this.#isListening = isListening;
  }

  /** What listening adds to the pose in one tick; `headMotion` 0..1 scales what moves the head. */
  next(headMotion: number): FacePose {
    const share = this.#isListening ? RISE : FALL;
    this.#drawn += share * ((this.#isListening ? 1 : 0) - this.#drawn);
    this.strength += share * (this.#drawn - this.strength);
    this.#sinceTurn += 1;
    // The side changes from one turn to the next, and never at a jump.
    this.#tilt += TILT * ((hashUnit(this.#seed, STREAM, this.#turns) < 0.5 ? -1 : 1) - this.#tilt);
    const head = headMotion * this.strength;
    return {
      roll: head * 0.34 * this.#tilt,
      yaw: head * 0.1 * this.#tilt,
      pitch: head * (0.1 + this.#nod()),
      ty: head * 0.12,
      brow: 0.14 * this.strength,
      smile: 0.06 * this.strength,
    };
  }

  /** The nod of this tick: down and up twice, the second time less. */
  #nod(): number {
    const ticks = this.#sinceTurn - FIRST_NOD_TICKS;
    if (ticks < 0) return 0;
    const slot = Math.floor(ticks / NOD_SLOT_TICKS);
    const draw = (stream: number) => hashUnit(this.#seed, STREAM + stream, this.#turns * 1009 + slot);
    if (draw(1) >= NOD_SHARE) return 0;
    const start = Math.floor(draw(2) * (NOD_SLOT_TICKS - NOD_TICKS));
    const share = ((ticks % NOD_SLOT_TICKS) - start) / NOD_TICKS;
    if (share <= 0 || share >= 1) return 0;
    const swing = Math.sin(2 * Math.PI * share) ** 2 * (share < 0.5 ? 1 : 0.55);
    return (0.2 + 0.16 * draw(3)) * swing * smoothStep(0, 0.1, share);
  }
}
