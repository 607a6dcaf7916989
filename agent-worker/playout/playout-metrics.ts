// Playout statistics of an avatar session: counted per frame (40 ms of audio with its video frame), reported regularly.
import type { DueFrame } from "./frame-clock.ts";

/** A summary of the frames since the previous report. */
export interface PlayoutReport {
  /** Span of the report, s. */
  spanS: number;
  framesPerSecond: number;
  /** Frames that were played. */
  frames: number;
  /** Frames that began more than 20 ms late. */
  lateFrames: number;
  /** Frames skipped after a stall. */
  skippedFrames: number;
  /** Times that the audio queue ran empty within an utterance (underruns). */
  audioGaps: number;
  /** Pauses within an utterance because its sender was late. */
  starvations: number;
  /** Time to compute one frame, ms: median and 95th percentile. */
  tickP50Ms: number;
  tickP95Ms: number;
}

/** Counters since the start of the session. */
export interface PlayoutTotals {
  frames: number;
  lateFrames: number;
  skippedFrames: number;
  audioGaps: number;
  starvations: number;
}

const LATE_MS = 20;

export class PlayoutMetrics {
  readonly totals: PlayoutTotals = { frames: 0, lateFrames: 0, skippedFrames: 0, audioGaps: 0, starvations: 0 };
  #atLastReport: PlayoutTotals = { ...this.totals };
  #tickMs: number[] = [];
  #reportedAtMs = performance.now();

  /** Counts a frame that was played and took `tickMs` to compute. */
  countFrame({ lateMs, skippedFrames }: Pick<DueFrame, "lateMs" | "skippedFrames">, tickMs: number): void {
    this.totals.frames++;
    this.totals.skippedFrames += skippedFrames;
    if (lateMs > LATE_MS) this.totals.lateFrames++;
    this.#tickMs.push(tickMs);
  }

  countAudioGap(): void {
    this.totals.audioGaps++;
  }

  countStarvation(): void {
    this.totals.starvations++;
  }

  /** Summary since the last call. */
  report(): PlayoutReport {
    const nowMs = performance.now();
    const spanS = (nowMs - this.#reportedAtMs) / 1000;
    const before = this.#atLastReport;
    const sorted = this.#tickMs.sort((a, b) => a - b);
    const percentile = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const report = {
      spanS: round(spanS),
      framesPerSecond: round((this.totals.frames - before.frames) / spanS),
      frames: this.totals.frames - before.frames,
      lateFrames: this.totals.lateFrames - before.lateFrames,
      skippedFrames: this.totals.skippedFrames - before.skippedFrames,
      audioGaps: this.totals.audioGaps - before.audioGaps,
      starvations: this.totals.starvations - before.starvations,
      tickP50Ms: percentile(0.5),
      tickP95Ms: percentile(0.95),
    };
    this.#atLastReport = { ...this.totals };
    this.#tickMs = [];
    this.#reportedAtMs = nowMs;
    return report;
  }
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
