// How long audio of the room is held back until it is heard: by the buffer against jitter, and on its way to the
// loudspeaker. Browsers count it in the statistics of the receiver.

const EVERY_MS = 500;
/** Of the way to the loudspeaker, where the browser does not tell, ms. */
const USUAL_OUTPUT_MS = 30;
/** More is a fault of the numbers: buffers hold a few seconds at most. */
const MOST_MS = 5_000;

/** Sums since the receiver began: seconds of delay of all samples, and their number. */
interface Sums {
  delayS: number;
  samples: number;
}

/** What the statistics of a receiver say; undefined where the browser leaves it out. */
export interface ReceiverSums {
  buffer: Sums | undefined;
  output: Sums | undefined;
}

export interface HeardDelayOptions {
  stats(): Promise<Iterable<unknown> | undefined>;
  /** Each half a second. */
  onDelay(delayMs: number): void;
}

/** Runs until `close()`. */
export class HeardDelay {
  readonly #options: HeardDelayOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #before: ReceiverSums | undefined;

  constructor(options: HeardDelayOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#measure(), EVERY_MS);
    void this.#measure();
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #measure(): Promise<void> {
    // The receiver may be gone; the next one is asked then.
    const stats = await this.#options.stats().catch(() => undefined);
    if (!stats) return;
    const sums = readSums(stats);
    const delayMs = delayBetween(this.#before, sums);
    this.#before = sums;
    if (delayMs !== undefined) this.#options.onDelay(delayMs);
  }
}

/** The sums in a report of statistics. */
export function readSums(stats: Iterable<unknown>): ReceiverSums {
  const sums: ReceiverSums = { buffer: undefined, output: undefined };
  for (const one of stats) {
    if (!isRecord(one)) continue;
    if (one.type === "inbound-rtp" && one.kind === "audio")
      sums.buffer = sumsOf(one.jitterBufferDelay, one.jitterBufferEmittedCount);
    if (one.type === "media-playout") sums.output = sumsOf(one.totalPlayoutDelay, one.totalSamplesCount);
  }
  return sums;
}

/** Delay of the samples that were played between two reports, ms; undefined if none were. */
export function delayBetween(before: ReceiverSums | undefined, now: ReceiverSums): number | undefined {
  const bufferMs = meanMs(before?.buffer, now.buffer);
  if (bufferMs === undefined) return undefined;
  return bufferMs + (meanMs(before?.output, now.output) ?? USUAL_OUTPUT_MS);
}

function meanMs(before: Sums = { delayS: 0, samples: 0 }, now: Sums | undefined): number | undefined {
  if (!now) return undefined;
  const samples = now.samples - before.samples;
  const ms = (1000 * (now.delayS - before.delayS)) / samples;
  return samples > 0 && ms >= 0 && ms <= MOST_MS ? ms : undefined;
}

function sumsOf(delayS: unknown, samples: unknown): Sums | undefined {
  return typeof delayS === "number" && typeof samples === "number" ? { delayS, samples } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
