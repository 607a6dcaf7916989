// Where the eyes of a face go while it thinks: away from the viewer, mostly up, and back from time to time.
import type { Gaze } from "./gaze.ts";
import { hashUnit } from "./smooth-noise.ts";

/** Length of a rest of the eyes, ticks, and the part of it by which rests differ. */
const REST_TICKS = 34;
const REST_SPREAD = 16;
/** Eyes stay on the viewer for this long at first, ticks: a quick answer needs no look away. */
const DELAY_TICKS = 4;
/** Share of rests, after the first one, on the viewer. */
const VIEWER_SHARE = 0.25;
/** Share of the other rests that look down. */
const DOWN_SHARE = 0.25;
/** Smoothing factor per tick: eyes jump and do not drift. */
const JUMP = 0.6;
const STREAM = 81;

/** The eyes of one avatar, one call per tick. Deterministic for a seed. */
export class ThinkingGaze {
  readonly #seed: number;
  #isThinking = false;
  /** Times that the avatar has thought, and rests of this time. */
  #thoughts = 0;
  #rests = 0;
  #untilRest = 0;
  /** How far the eyes are taken from the viewer, 0..1, and where to. */
  #share = 0;
  #target = 0;
  #x = 0;
  #y = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The avatar begins to think, or stops. Idempotent. */
  set(isThinking: boolean): void {
    if (isThinking && !this.#isThinking) {
      this.#thoughts += 1;
      this.#rests = 0;
      this.#untilRest = DELAY_TICKS;
    }
    this.#isThinking = isThinking;
  }

  /** Where the eyes look in this tick, if they would look at `gaze` otherwise. */
  next(gaze: Gaze): Gaze {
    if (!this.#isThinking) this.#target = 0;
    else if (this.#untilRest-- <= 0) this.#rest();
    this.#share += JUMP * (this.#target - this.#share);
    const share = this.#share;
    return { x: gaze.x + share * (this.#x - gaze.x), y: gaze.y + share * (this.#y - gaze.y) };
  }

  /** Returns what brings the eyes back to now. Whether the avatar thinks holds from then on. */
  remember(): () => void {
    const [wasThinking, thoughts, rests, untilRest] = [this.#isThinking, this.#thoughts, this.#rests, this.#untilRest];
    const [share, target, x, y] = [this.#share, this.#target, this.#x, this.#y];
    return () => {
      const isThinking = this.#isThinking;
      [this.#isThinking, this.#thoughts, this.#rests, this.#untilRest] = [wasThinking, thoughts, rests, untilRest];
      [this.#share, this.#target, this.#x, this.#y] = [share, target, x, y];
      this.set(isThinking);
    };
  }

  #rest(): void {
    const draw = (stream: number) => hashUnit(this.#seed, STREAM + stream, this.#thoughts * 61 + this.#rests);
    this.#untilRest = REST_TICKS + Math.floor((draw(0) - 0.5) * 2 * REST_SPREAD);
    this.#target = this.#rests > 0 && draw(1) < VIEWER_SHARE ? 0 : 1;
    this.#rests += 1;
    if (this.#target === 0) return;
    const side = draw(2) < 0.5 ? -1 : 1;
    this.#x = side * (0.25 + 0.25 * draw(3));
    // Positive is down.
    this.#y = draw(4) < DOWN_SHARE ? 0.2 + 0.1 * draw(5) : -0.15 - 0.2 * draw(5);
  }
}
