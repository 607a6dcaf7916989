// Playout metrics of all avatar sessions of a worker, for its `/metrics`. The process of each session sends its reports
// to the worker.
import { Counter, Gauge, type Registry } from "prom-client";
import { FRAME_RATES } from "../../room/playout/frame-ladder.ts";
import type { PlayoutReport } from "../../room/playout/playout-metrics.ts";

/** A session that misses two reports counts as ended. */
const KEPT_MS = 30_000;

const COUNTERS = {
  frames: ["avatar_worker_frames_total", "Video frames that were sent"],
  lateFrames: ["avatar_worker_late_frames_total", "Video frames that began more than 20 ms late"],
  droppedFrames: ["avatar_worker_dropped_frames_total", "Video frames not rendered because they were too late"],
  withheldFrames: ["avatar_worker_withheld_frames_total", "Video frames not rendered because the rate was lowered"],
  unwatchedFrames: [
    "avatar_worker_unwatched_frames_total",
    "Video frames not rendered because no participant needed video",
  ],
  audioGaps: ["avatar_worker_audio_gaps_total", "Times that the audio queue ran empty within an utterance"],
  starvations: ["avatar_worker_starvations_total", "Times that an utterance paused because its sender was late"],
} as const;

type CounterName = keyof typeof COUNTERS;

/** Adds up the reports of all sessions. The metrics that it registers are read at each scrape. */
export class PlayoutCounters {
  readonly #counters: Readonly<Record<CounterName, Counter>>;
  readonly #rateChanges: Counter<"to">;
  readonly #latest = new Map<string, { atMs: number; report: PlayoutReport }>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#counters = Object.fromEntries(
      Object.entries(COUNTERS).map(([key, [name, help]]) => [key, new Counter({ name, help, registers })]),
    ) as Record<CounterName, Counter>;
    this.#rateChanges = new Counter({
      name: "avatar_worker_frame_rate_changes_total",
      help: "Changes of a session's frame rate to full (25 fps), half (12.5 fps) or frozen",
      labelNames: ["to"],
      registers,
    });
    for (const to of FRAME_RATES) this.#rateChanges.inc({ to }, 0);
    const reports = () => this.#recent();
    new Gauge({
      name: "avatar_worker_sessions_at_frame_rate",
      help: "Sessions that send video at the full rate (25 fps), at half of it (12.5 fps), frozen, or none (unwatched)",
      labelNames: ["rate"],
      registers,
      collect() {
        const isSent = ({ framesPerSecond }: PlayoutReport) => framesPerSecond !== null;
        const rates = reports().map((report) => (isSent(report) ? report.frameRate : "unwatched"));
        for (const rate of [...FRAME_RATES, "unwatched"]) {
          this.set({ rate }, rates.filter((each) => each === rate).length);
        }
      },
    });
    new Gauge({
      name: "avatar_worker_audio_reserve_seconds",
      help: "Least audio in the queue within an utterance, of the worst session; 1 without speech",
      registers,
      collect() {
        this.set(Math.min(1, ...reports().map(({ leastReserveMs }) => (leastReserveMs ?? 1000) / 1000)));
      },
    });
    new Gauge({
      name: "avatar_worker_tick_p95_seconds",
      help: "Time to render and send one frame, 95th percentile of the slowest session; 0 without sessions",
      registers,
      collect() {
        this.set(Math.max(0, ...reports().map(({ tickP95Ms }) => tickP95Ms / 1000)));
      },
    });
    new Gauge({
      name: "avatar_worker_frames_per_second",
      help: "Frames per second of the slowest session while its video is needed; 0 without one",
      registers,
      collect() {
        const rates = reports().flatMap(({ framesPerSecond }) => framesPerSecond ?? []);
        this.set(rates.length > 0 ? Math.min(...rates) : 0);
      },
    });
  }

  /** Adds a report of a session. */
  take(avatarSessionId: string, report: PlayoutReport): void {
    for (const name of Object.keys(this.#counters) as CounterName[]) this.#counters[name].inc(report[name]);
    for (const to of FRAME_RATES) this.#rateChanges.inc({ to }, report.rateChanges[to]);
    this.#latest.set(avatarSessionId, { atMs: performance.now(), report });
  }

  #recent(): PlayoutReport[] {
    const oldestMs = performance.now() - KEPT_MS;
    for (const [id, { atMs }] of this.#latest) if (atMs < oldestMs) this.#latest.delete(id);
    return [...this.#latest.values()].map(({ report }) => report);
  }
}
