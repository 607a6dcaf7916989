// Playout metrics of all avatar sessions of a worker, for its `/metrics`. The process of each session sends its reports
// to the worker.
import { Counter, Gauge, type Registry } from "prom-client";
import type { PlayoutReport } from "./playout-metrics.ts";

/** A session that misses two reports counts as ended. */
const KEPT_MS = 30_000;

const COUNTERS = {
  frames: ["avatar_worker_frames_total", "Frames (40 ms, with their audio) that were played"],
  lateFrames: ["avatar_worker_late_frames_total", "Frames that began more than 20 ms late"],
  skippedFrames: ["avatar_worker_skipped_frames_total", "Frames skipped after a stall"],
  audioGaps: ["avatar_worker_audio_gaps_total", "Times that the audio queue ran empty within an utterance"],
  starvations: ["avatar_worker_starvations_total", "Times that an utterance paused because its sender was late"],
} as const;

type CounterName = keyof typeof COUNTERS;

/** Adds up the reports of all sessions. The metrics that it registers are read at each scrape. */
export class PlayoutFigures {
  readonly #counters: Readonly<Record<CounterName, Counter>>;
  readonly #latest = new Map<string, { atMs: number; report: PlayoutReport }>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#counters = Object.fromEntries(
      Object.entries(COUNTERS).map(([key, [name, help]]) => [key, new Counter({ name, help, registers })]),
    ) as Record<CounterName, Counter>;
    const reports = () => this.#recent();
    new Gauge({
      name: "avatar_worker_tick_p95_seconds",
      help: "Time to compute one frame, 95th percentile of the slowest session; 0 without sessions",
      registers,
      collect() {
        this.set(Math.max(0, ...reports().map(({ tickP95Ms }) => tickP95Ms / 1000)));
      },
    });
    new Gauge({
      name: "avatar_worker_frames_per_second",
      help: "Frames per second of the slowest session; 0 without sessions",
      registers,
      collect() {
        const rates = reports().map(({ framesPerSecond }) => framesPerSecond);
        this.set(rates.length > 0 ? Math.min(...rates) : 0);
      },
    });
  }

  /** Adds a report of a session. */
  take(avatarSessionId: string, report: PlayoutReport): void {
    for (const name of Object.keys(this.#counters) as CounterName[]) this.#counters[name].inc(report[name]);
    this.#latest.set(avatarSessionId, { atMs: performance.now(), report });
  }

  #recent(): PlayoutReport[] {
    const oldestMs = performance.now() - KEPT_MS;
    for (const [id, { atMs }] of this.#latest) if (atMs < oldestMs) this.#latest.delete(id);
    return [...this.#latest.values()].map(({ report }) => report);
  }
}
