// When audio is heard, on the clock of the worker.

/** Shares of the newest value by which an estimate moves: the browser's values scatter by milliseconds. */
const STEP = 0.2;
/** A larger difference is a change, such as another output device. */
const CHANGE_MS = 40;

export class HeardClock {
  /** Ms of the worker's clock at which second 0 of the audio clock is heard. */
  #originMs: number | undefined;

  /** Second `audioS` is heard at `heardAtMs` since 1970. */
  set(audioS: number, heardAtMs: number): void {
    const measuredMs = heardAtMs - performance.timeOrigin - 1000 * audioS;
    const originMs = this.#originMs;
    const isChange = originMs === undefined || Math.abs(measuredMs - originMs) > CHANGE_MS;
    this.#originMs = isChange ? measuredMs : originMs + STEP * (measuredMs - originMs);
  }

  /** On the scale of `performance.now()`. Now, while nothing is known. */
  heardMs(audioS: number): number {
    return this.#originMs === undefined ? performance.now() : this.#originMs + 1000 * audioS;
  }
}
