// Keeps a jaw from chattering without holding it still: each turn that is seen makes the next one dearer for a while.
//
// A fixed least distance would do one of two things: let all the wobbles of lively speech through, or freeze the jaw
// where all movements are small, as in "blue shoes". What an eye takes for chatter is not a small movement but many of
// them.

/** Steps of the jaw below this are rest: 0.07 mm. */
const STILL = 0.004;
/** What each turn adds to the distance that is worth turning round for (0.8 mm), and the share of all that is left a
 *  video frame later: half after a third of a second. Eight turns a second ask for 3.2 mm, four for 1.6 mm, a jaw that
 *  has long been still for nothing. A fixed distance of 2.2 mm turns as often, but stands still where it should move
 *  in 3 to 5 of 100 video frames of a known text (four speakers); with this it is 1. */
const TURN_COST = 0.045;
const COST_KEPT = 0.92;

/** One jaw. Distances and positions in units of the parameter `jaw`. */
export class JawRestraint {
  #cost = 0;
  #direction = 0;
  #jaw = 0;

  /** True if the jaw may set out on this way (signed, at an expressiveness of 0.5): on as it moved last, freely; back,
   *  only if it is far enough. */
  permits(distance: number): boolean {
    return Math.sign(distance) === this.#direction || Math.abs(distance) >= this.#cost;
  }

  /** Takes where the jaw of the next video frame is drawn, closures and all: a turn counts whatever it was for. */
  drawn(jaw: number): void {
    const step = jaw - this.#jaw;
    this.#jaw = jaw;
    if (Math.abs(step) > STILL && Math.sign(step) !== this.#direction) {
      this.#direction = Math.sign(step);
      this.#cost += TURN_COST;
    }
    this.#cost *= COST_KEPT;
  }
}
