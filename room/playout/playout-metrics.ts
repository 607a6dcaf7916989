// Playout statistics of an avatar session: counted as audio and video frames are sent, reported regularly.
import { FRAME_RATES, type FrameRate } from "./frame-ladder.ts";

/** Counters since the start of the session. */
export interface PlayoutTotals {
  /** Video frames that were sent. */
  frames: number;
  /** Video frames that began more than 20 ms late. */
  lateFrames: number;
  /** Video frames that were not rendered because they were too late. */
  droppedFrames: number;
  /** Video frames that were not rendered because the frame rate was lowered. */
  withheldFrames: number;
  /** Video frames that were not rendered because no participant needed video. */
  unwatchedFrames: number;
  /** Times that the audio queue ran empty within an utterance (underruns). */
  audioGaps: number;
  /** Pauses within an utterance because its sender was late. */
  starvations: number;
}

/** A summary since the previous report. */
export interface PlayoutReport extends PlayoutTotals {
  /** Span of the report, s. */
  spanS: number;
  /** While video was needed; null if it never was. */
  framesPerSecond: number | null;
  /** Time to render and send one frame, ms: median and 95th percentile. */
  tickP50Ms: number;
  tickP95Ms: number;
  /** Least audio in the queue when more was queued within an utterance, ms; null without speech. */
  leastReserveMs: number | null;
  /** The frame rate now, and how often each was entered. */
  frameRate: FrameRate;
  rateChanges: Record<FrameRate, number>;
}

const LATE_MS = 20;

export class PlayoutMetrics {
  readonly totals: PlayoutTotals = noTotals();
  #atLastReport: PlayoutTotals = noTotals();
  #tickMs: number[] = [];
  #leastReserveMs = Number.POSITIVE_INFINITY;
  #frameRate: FrameRate = "full";
  #rateChanges = noChanges();
  #reportedAtMs = performance.now();

  /** The frame rate now. */
  get frameRate(): FrameRate {
    return this.#frameRate;
  }

  /** Counts a video frame that began `lateMs` late and took `workMs` to render and send. */
  countFrame(lateMs: number, workMs: number): void {
    this.totals.frames++;
    if (lateMs > LATE_MS) this.totals.lateFrames++;
    this.#tickMs.push(workMs);
  }

  countDropped(): void {
    this.totals.droppedFrames++;
  }

  countWithheld(): void {
    this.totals.withheldFrames++;
  }

  countUnwatched(): void {
    this.totals.unwatchedFrames++;
  }

  countAudioGap(): void {
    this.totals.audioGaps++;
  }

  countStarvation(): void {
    this.totals.starvations++;
  }

  /** Speech is queued behind `reserveMs` of other speech. */
  countReserve(reserveMs: number): void {
    this.#leastReserveMs = Math.min(this.#leastReserveMs, reserveMs);
  }

  /** The frame rate at the start; not a change. */
  startAt(rate: FrameRate): void {
    this.#frameRate = rate;
  }

  countRate(rate: FrameRate): void {
    this.#frameRate = rate;
    this.#rateChanges[rate]++;
  }

  /** Summary since the last call. */
  report(): PlayoutReport {
    const nowMs = performance.now();
    const spanS = (nowMs - this.#reportedAtMs) / 1000;
    const before = this.#atLastReport;
    const sorted = this.#tickMs.sort((a, b) => a - b);
    const percentile = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const since = { ...this.totals };
    for (const name of Object.keys(since) as (keyof PlayoutTotals)[]) since[name] -= before[name];
    const report = {
      ...since,
      spanS: round(spanS),
      framesPerSecond: watchedS(since, spanS) > 0 ? round(since.frames / watchedS(since, spanS)) : null,
      tickP50Ms: percentile(0.5),
      tickP95Ms: percentile(0.95),
      leastReserveMs: Number.isFinite(this.#leastReserveMs) ? round(this.#leastReserveMs) : null,
      frameRate: this.#frameRate,
      rateChanges: this.#rateChanges,
    };
    this.#atLastReport = { ...this.totals };
    this.#tickMs = [];
    this.#leastReserveMs = Number.POSITIVE_INFINITY;
    this.#rateChanges = noChanges();
    this.#reportedAtMs = nowMs;
    return report;
  }
}

function noTotals(): PlayoutTotals {
  return {
    frames: 0,
    lateFrames: 0,
    droppedFrames: 0,
    withheldFrames: 0,
    unwatchedFrames: 0,
    audioGaps: 0,
    starvations: 0,
  };
}

/** Seconds in which video was needed. */
function watchedS({ frames, droppedFrames, withheldFrames, unwatchedFrames }: PlayoutTotals, spanS: number): number {
  const needed = frames + droppedFrames + withheldFrames;
  return unwatchedFrames === 0 ? spanS : (spanS * needed) / (needed + unwatchedFrames);
}

function noChanges(): Record<FrameRate, number> {
  return Object.fromEntries(FRAME_RATES.map((rate) => [rate, 0])) as Record<FrameRate, number>;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
