// Whether what a filter left of a block is still echo: then it resembles the prediction, whatever its sign and size. An
// echo that has moved does, and one that a browser lets through by turns; a person's voice does not.
import { BLOCK_SAMPLES } from "./blocks.ts";

/** Share of the newest block: 50 ms count. */
const NEWEST = 0.2;
const TINY = 1e-9;

/** Follows one filter. */
export class Likeness {
  #value = 0;
  #lastRest = 0;
  #lastEcho = 0;

  /** Squared correlation of the rest and the prediction, treble raised: 0 to 1. */
  get value(): number {
    return this.#value;
  }

  /** Takes a block and what is left of it. */
  push(block: Float64Array, rest: Float64Array): void {
    let restPower = TINY;
    let echoPower = TINY;
    let product = 0;
    for (let i = 0; i < BLOCK_SAMPLES; i++) {
      const echo = block[i] - rest[i];
      const restStep = rest[i] - this.#lastRest;
      const echoStep = echo - this.#lastEcho;
      this.#lastRest = rest[i];
      this.#lastEcho = echo;
      restPower += restStep * restStep;
      echoPower += echoStep * echoStep;
      product += restStep * echoStep;
    }
    this.#value += NEWEST * ((product * product) / (restPower * echoPower) - this.#value);
  }
}
