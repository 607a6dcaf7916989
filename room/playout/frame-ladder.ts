// Decides which video frames are rendered when the machine cannot render all of them in time.
//
//   full    every frame, 25 fps                                      → half (strained)
//   half    every second frame, 12.5 fps                             → frozen (strained), full (calm)
//   frozen  the face at rest, rendered once and repeated each second → half (calm)
//
// Audio is never decided on here: each step down frees time for it. Strained: several frames within a second were
// dropped or too expensive, or a frame came late while little audio was queued. Calm: none of this for a while. A step
// up that fails soon doubles the while, so that a machine that is too small does not flicker between two rates.
//
// Sessions on one machine share its cores, so each looks at what is left of them. On a full machine scarce audio alone
// ends the full rate, and a step up has to wait. Sessions step up at different moments, so that each sees what the one
// before took.
import { defineMoves, StateMachine } from "../../program/state-machine.ts";
import { HOP_MS } from "../../shared/units.ts";

/** From best to least. */
export const FRAME_RATES = ["full", "half", "frozen"] as const;
export type FrameRate = (typeof FRAME_RATES)[number];

const MOVES = defineMoves<FrameRate>({ full: ["half"], half: ["frozen", "full"], frozen: ["half"] });

/** What happens to a frame that is due: `render`; `drop`: it is too late; `withhold`: the rate leaves it out; `rest`:
 *  the still face is shown, again or for the first time. */
export type FrameFate = "render" | "drop" | "withhold" | "rest";

/** A frame that begins later than this is dropped, ms: the next one is due. */
const TOO_LATE_MS = HOP_MS;
/** A frame that begins later than this shows that the process was delayed, ms. */
const DELAYED_MS = HOP_MS / 2;
/** Speech in the queue below which a delay of the process is worth a step down at once, ms: the next delay of this
 *  length would be heard. */
const SCARCE_AUDIO_MS = 40;
/** Frames within a second that were dropped or too expensive and cause a step down, from each rate: a seventh of the
 *  full rate, half of the half rate. A single stall costs one or two. */
const STRAIN_LIMIT: Readonly<Record<FrameRate, number>> = { full: 4, half: 6, frozen: Number.POSITIVE_INFINITY };
const STRAIN_SPAN_MS = 1000;
/** After a step down, the next one waits this long for its effect, ms. */
const RELIEF_MS = 240;
/** Cores that are free below which the machine is full. */
const FULL_CORES = 0.1;
/** Cores that are free when a step up from this rate may be tried soon. Half of the rate costs a session and its server
 *  about 0.1 cores more than a still face, the full rate 0.15 more than half of it; the rest is for peaks. */
const FREE_CORES: Readonly<Record<FrameRate, number>> = { full: 0, half: 0.35, frozen: 0.2 };
/** Time without strain before a step up, ms: at first, and at most. */
const SHORTEST_CALM_MS = 2000;
const LONGEST_CALM_MS = 32_000;
/** The least on a machine without free cores. Its other work may end without notice, or leave the session enough. */
const CROWDED_CALM_MS = 8000;
/** A step up that lasts this long was right, ms. */
const PROVEN_MS = 10_000;
/** Most of a frame's 40 ms that rendering may take on average for a step up to the full rate. */
const AFFORDABLE_SHARE = 0.6;
/** Weight of a new frame in the mean rendering time. */
const MEAN_WEIGHT = 0.1;
/** Interval at which the still face is repeated, ms: viewers that join need a frame to decode. */
const REST_INTERVAL_MS = 1000;

export interface FrameLadderOptions {
  /** Rate that is never exceeded. Default `full`. */
  highest?: "full" | "half";
  /** Cores of the machine that were free lately. Default: always enough. */
  freeCores?(): number;
  /** 0 to less than 1: spreads the moments at which sessions step up. Default `Math.random`. */
  random?(): number;
  /** Called after each change. */
  onChange?(rate: FrameRate): void;
}

/** Pure: time comes with each call (monotonic, ms). */
export class FrameLadder {
  readonly #options: FrameLadderOptions;
  readonly #highest: FrameRate;
  readonly #freeCores: () => number;
  readonly #random: () => number;
  readonly #rate: StateMachine<FrameRate>;
  /** Times of recent strain, oldest first. */
  #strainedAtMs: number[] = [];
  #calmSinceMs = Number.NEGATIVE_INFINITY;
  #calmNeededMs = SHORTEST_CALM_MS;
  #spread = 0;
  #fellAtMs = Number.NEGATIVE_INFINITY;
  #raisedAtMs: number | undefined;
  #meanWorkMs = 0;
  /** At half rate: the last frame was withheld. */
  #hasWithheld = false;
  #restShownAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: FrameLadderOptions = {}) {
    this.#options = options;
    this.#freeCores = options.freeCores ?? (() => Number.POSITIVE_INFINITY);
    this.#random = options.random ?? Math.random;
    this.#highest = options.highest ?? "full";
    this.#rate = new StateMachine(MOVES, this.#highest);
  }

  get rate(): FrameRate {
    return this.#rate.current;
  }

  /** Decides on a frame that begins `lateMs` after its due time, while `queuedMs` of speech were queued; Infinity for
   *  silence. One call per frame, in order. */
  frameDue(nowMs: number, lateMs: number, queuedMs: number): FrameFate {
    const isFull = this.#freeCores() < FULL_CORES;
    const isScarce = queuedMs < SCARCE_AUDIO_MS;
    // Scarce audio alone may be its sender's doing, which no still face would mend.
    if (isScarce && (lateMs > DELAYED_MS || (isFull && this.rate === "full"))) this.#fall(nowMs);
    else if (lateMs > TOO_LATE_MS) this.#strain(nowMs, queuedMs);
    else this.#riseIfCalm(nowMs);
    if (this.rate === "frozen") {
      if (nowMs - this.#restShownAtMs < REST_INTERVAL_MS) return "withhold";
      this.#restShownAtMs = nowMs;
      return "rest";
    }
    if (lateMs > TOO_LATE_MS) return "drop";
    this.#hasWithheld = this.rate === "half" && !this.#hasWithheld;
    return this.#hasWithheld ? "withhold" : "render";
  }

  /** A frame was rendered and handed on in `workMs`. */
  frameRendered(nowMs: number, workMs: number): void {
    this.#meanWorkMs += MEAN_WEIGHT * (workMs - this.#meanWorkMs);
    if (workMs > (this.rate === "full" ? HOP_MS : 2 * HOP_MS)) this.#strain(nowMs);
  }

  /** A face that is silent, with Infinity ms of speech queued, is not frozen: there is no voice to protect. */
  #strain(nowMs: number, queuedMs = 0): void {
    if (this.rate === "half" && queuedMs === Number.POSITIVE_INFINITY) {
      this.#calmSinceMs = nowMs;
      return;
    }
    this.#calmSinceMs = nowMs;
    this.#strainedAtMs = this.#strainedAtMs.filter((atMs) => atMs > nowMs - STRAIN_SPAN_MS);
    this.#strainedAtMs.push(nowMs);
    if (this.#strainedAtMs.length >= STRAIN_LIMIT[this.rate]) this.#fall(nowMs);
  }

  #fall(nowMs: number): void {
    this.#calmSinceMs = nowMs;
    if (this.rate === "frozen" || nowMs - this.#fellAtMs < RELIEF_MS) return;
    this.#fellAtMs = nowMs;
    // On a full machine the step up was right when it was made; the next one waits for room anyway.
    const isExplained = this.#freeCores() < FULL_CORES;
    if (this.#raisedAtMs !== undefined && nowMs - this.#raisedAtMs < PROVEN_MS && !isExplained) {
      this.#calmNeededMs = Math.min(LONGEST_CALM_MS, 2 * this.#calmNeededMs);
    }
    this.#raisedAtMs = undefined;
    this.#enter(this.rate === "full" ? "half" : "frozen", nowMs);
  }

  #riseIfCalm(nowMs: number): void {
    if (this.#raisedAtMs !== undefined && nowMs - this.#raisedAtMs >= PROVEN_MS) {
      this.#calmNeededMs = SHORTEST_CALM_MS;
      this.#raisedAtMs = undefined;
    }
    if (this.rate === this.#highest || nowMs - this.#calmSinceMs < this.#calmMs) return;
    if (this.rate === "half" && this.#meanWorkMs > AFFORDABLE_SHARE * HOP_MS) return;
    this.#raisedAtMs = nowMs;
    this.#enter(this.rate === "frozen" ? "half" : "full", nowMs);
  }

  /** Time without strain after which the next step up is tried, ms. */
  get #calmMs(): number {
    const hasFreeCores = this.#freeCores() >= FREE_CORES[this.rate];
    return (1 + this.#spread) * (hasFreeCores ? this.#calmNeededMs : Math.max(CROWDED_CALM_MS, this.#calmNeededMs));
  }

  #enter(rate: FrameRate, nowMs: number): void {
    this.#rate.enter(rate);
    this.#calmSinceMs = nowMs;
    this.#strainedAtMs = [];
    this.#spread = this.#random();
    this.#hasWithheld = false;
    this.#restShownAtMs = Number.NEGATIVE_INFINITY;
    this.#options.onChange?.(this.rate);
  }
}
