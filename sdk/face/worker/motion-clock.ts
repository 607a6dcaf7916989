// When audio that was sent together with motion is heard here. The two clocks may differ, drift and jump.
//
// The fastest packets of the last seconds tell the difference of the clocks, and their shortest way with it. Audio
// takes that way too, and is then held back by buffers that the page measures.

/** The difference is the smallest of this time: drift of 100 ppm is 1 ms in that time. */
const WATCHED_SECONDS = 10;
/** Packets in a row that are later by more than this are no jitter: the sender's clock, or the way, is another. */
const JUMP_MS = 250;
const JUMP_PACKETS = 25;
/** The delay of audio moves by this share of a new value; a larger difference is a change and is taken at once. */
const STEP = 0.25;
const CHANGE_MS = 40;

export class MotionClock {
  /** The smallest difference in each second, oldest first. */
  #seconds: { beganMs: number; leastMs: number }[] = [];
  #latePackets = 0;
  #delayMs: number | undefined;

  /** A packet arrived at `atMs` that was sent at `sentMs` of its sender's clock. */
  arrived(sentMs: number, atMs: number): void {
    const differenceMs = atMs - sentMs;
    const leastMs = this.#leastMs();
    this.#latePackets = leastMs !== undefined && differenceMs > leastMs + JUMP_MS ? this.#latePackets + 1 : 0;
    if (this.#latePackets >= JUMP_PACKETS) this.reset();
    const last = this.#seconds.at(-1);
    if (last && atMs - last.beganMs < 1000) last.leastMs = Math.min(last.leastMs, differenceMs);
    else this.#seconds.push({ beganMs: atMs, leastMs: differenceMs });
    while (atMs - this.#seconds[0].beganMs > 1000 * WATCHED_SECONDS) this.#seconds.shift();
  }

  /** Audio is heard so long after it left its sender, beyond the shortest way of a packet, ms. */
  setDelay(delayMs: number): void {
    const before = this.#delayMs;
    const isChange = before === undefined || Math.abs(delayMs - before) > CHANGE_MS;
    this.#delayMs = isChange ? delayMs : before + STEP * (delayMs - before);
  }

  /** When audio is heard that leaves its sender at `sentMs` of the sender's clock, on the clock of the arrivals.
   *  Undefined while no packet has arrived. */
  heardMs(sentMs: number): number | undefined {
    const leastMs = this.#leastMs();
    return leastMs === undefined ? undefined : sentMs + leastMs + (this.#delayMs ?? 0);
  }

  /** Another sender. */
  reset(): void {
    this.#seconds = [];
    this.#latePackets = 0;
  }

  #leastMs(): number | undefined {
    if (this.#seconds.length === 0) return undefined;
    return Math.min(...this.#seconds.map(({ leastMs }) => leastMs));
  }
}
