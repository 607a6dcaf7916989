// What sessions of a kind cost, by the latest reports of those that run.

/** A session reports every ten seconds. */
const KEPT_REPORTS = 16;

export class ReportedCost {
  readonly #reports: number[] = [];

  /** CPU time of a session, in cores. */
  note(cores: number): void {
    this.#reports.push(cores);
    if (this.#reports.length > KEPT_REPORTS) this.#reports.shift();
  }

  /** Mean of the latest reports, in cores; `expected` before the first one. A session that is silent may speak at any
   *  time, so it is never less than `least`. */
  cores({ expected, least }: { expected: number; least: number }): number {
    const sum = this.#reports.reduce((total, cores) => total + cores, 0);
    return Math.max(least, this.#reports.length > 0 ? sum / this.#reports.length : expected);
  }
}
