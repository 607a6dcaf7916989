// What an avatar session's playout did, in numbers: counted per hop, reported now and then.

/** A summary of the hops since the one before it. */
export interface PlayoutReport {
  /** Span of the report, s. */
  spanS: number;
  framesPerSecond: number;
  /** Hops that were played. */
  hops: number;
  /** Hops that began more than half a hop late. */
  lateHops: number;
  /** Hops left out after a standstill. */
  skippedHops: number;
  /** Times that the sound queue ran empty within an utterance. */
  audioGaps: number;
  /** Times that an utterance had to pause because its sender was late. */
  starvations: number;
  /** Computing one hop, ms: median and 95th percentile. */
  tickP50Ms: number;
  tickP95Ms: number;
}

/** Counters since the start of the session. */
export interface PlayoutTotals {
  hops: number;
  lateHops: number;
  skippedHops: number;
  audioGaps: number;
  starvations: number;
}

const LATE_MS = 20;

export class PlayoutMetrics {
  readonly totals: PlayoutTotals = { hops: 0, lateHops: 0, skippedHops: 0, audioGaps: 0, starvations: 0 };
  #atLastReport: PlayoutTotals = { ...this.totals };
  #tickMs: number[] = [];
  #reportedAtMs = performance.now();

  /** Counts a hop that was played. */
  countHop(lateMs: number, skippedHops: number, tickMs: number): void {
    this.totals.hops++;
    this.totals.skippedHops += skippedHops;
    if (lateMs > LATE_MS) this.totals.lateHops++;
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
      framesPerSecond: round((this.totals.hops - before.hops) / spanS),
      hops: this.totals.hops - before.hops,
      lateHops: this.totals.lateHops - before.lateHops,
      skippedHops: this.totals.skippedHops - before.skippedHops,
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
