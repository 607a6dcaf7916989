// How a face listens: head a little tilted and forward, eyes on the speaker, brows a little up, a nod now and then.
import { FACE_PARAMETER_INDEX as K } from "../../shared/face-parameters.ts";
import { smoothstep } from "../math/smoothstep.ts";
import { hashUnit } from "./smooth-noise.ts";

/** Shares of the way into and out of the posture in one tick, applied twice (two-pole smoothing) so that it begins
 *  without a jerk: about half a second in, a second out. */
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
  readonly #seed: number;
  /** How far the posture is taken up, 0..1. */
  #strength = 0;
  #isListening = false;
  /** What `#strength` follows. */
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
    // A user who only paused is still the same speaker, and a nod in progress goes on.
    if (isListening && !this.#isListening && this.#strength < NEW_TURN_BELOW) {
      this.#turns += 1;
      this.#sinceTurn = 0;
    }
    this.#isListening = isListening;
  }

  /** Adds the posture of one tick to a pose. `headMotion` 0..1 scales what moves the head, `share` 0..1 all of it. */
  addTo(pose: Float32Array, headMotion: number, share: number): void {
    const speed = this.#isListening ? RISE : FALL;
    this.#drawn += speed * ((this.#isListening ? 1 : 0) - this.#drawn);
    this.#strength += speed * (this.#drawn - this.#strength);
    this.#sinceTurn += 1;
    // The side changes from one turn to the next, and never at a jump.
    this.#tilt += TILT * ((hashUnit(this.#seed, STREAM, this.#turns) < 0.5 ? -1 : 1) - this.#tilt);
    const head = headMotion * this.#strength;
    pose[K.roll] += share * head * 0.34 * this.#tilt;
    pose[K.yaw] += share * head * 0.1 * this.#tilt;
    pose[K.pitch] += share * head * (0.1 + this.#nod());
    pose[K.ty] += share * head * 0.12;
    pose[K.brow] += share * 0.14 * this.#strength;
    pose[K.smile] += share * 0.06 * this.#strength;
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
    return (0.2 + 0.16 * draw(3)) * swing * smoothstep(share, 0, 0.1);
  }
}
