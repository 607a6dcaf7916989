// Prevents jaw chatter without freezing the jaw: each change of direction raises the distance that the next one must
// exceed, for a while.
//
// Smoothing makes lips late. A fixed minimum distance lets the chatter of lively speech through if it is small, and
// freezes the jaw if it is large, where all movements are small, as in "blue shoes". Viewers see chatter in many small
// movements, not in a single one.

/** Smaller steps of the jaw count as no movement: 0.07 mm. */
const STILL = 0.004;
/** What each turn adds to the minimum distance of the next turn (0.8 mm), and the decay of that distance per video
 *  frame (half-life: a third of a second). At eight turns per second the minimum is 3.2 mm, at four 1.6 mm, after a
 *  long rest 0. A fixed minimum of 2.2 mm gives as many turns, but the jaw then stands still where it should move in 3
 *  to 5 of 100 video frames of a known text (four speakers); with this decay in 1 of 100. */
const TURN_COST = 0.045;
const COST_KEPT = 0.92;

/** One jaw. Distances and positions in units of the parameter `jaw`. */
export class JawRestraint {
  #cost = 0;
  #direction = 0;
  #jaw = 0;

  /** True if the jaw may move by this signed distance (at an expressiveness of 0.5): always in the last direction, and
   *  in the other one only if the distance is large enough. */
  permits(distance: number): boolean {
    return Math.sign(distance) === this.#direction || Math.abs(distance) >= this.#cost;
  }

  /** Returns what brings the restraint back to now. */
  remember(): () => void {
    const [cost, direction, jaw] = [this.#cost, this.#direction, this.#jaw];
    return () => {
      [this.#cost, this.#direction, this.#jaw] = [cost, direction, jaw];
    };
  }

  /** Records the jaw position of the next video frame as rendered, including closures: every turn counts, whatever its
   *  cause. */
  rendered(jaw: number): void {
    const step = jaw - this.#jaw;
    this.#jaw = jaw;
    if (Math.abs(step) > STILL && Math.sign(step) !== this.#direction) {
      this.#direction = Math.sign(step);
      this.#cost += TURN_COST;
    }
    this.#cost *= COST_KEPT;
  }
}
