// A clock that follows the machine's clock and can be stopped by a test, so that limits that refill with time are exact
// on a slow machine, too.

export class TestClock {
  #aheadMs: number;
  #heldMs: number | null = null;

  /** Runs from `startsAt`, a date and time. Default: the present. */
  constructor(startsAt?: string) {
    this.#aheadMs = startsAt === undefined ? 0 : Date.parse(startsAt) - Date.now();
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#heldMs ?? Date.now() + this.#aheadMs;

  /** Stands still from now on. */
  hold(): void {
    this.#heldMs = this.now();
  }

  /** Moves a clock that stands still. */
  advance(ms: number): void {
    if (this.#heldMs === null) throw new Error("only a clock that is held can be moved");
    this.#heldMs += ms;
  }

  /** Runs again, from where it stands. */
  release(): void {
    this.#aheadMs = this.now() - Date.now();
    this.#heldMs = null;
  }
}
