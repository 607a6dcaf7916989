// Playout metrics of all avatar sessions of a worker, for its `/metrics`. Each session runs in its own process and
// posts its reports to the worker over loopback HTTP, because the framework does not expose its IPC channel.
import { randomBytes } from "node:crypto";
import { Counter, Gauge, type Registry } from "prom-client";
import { z } from "zod";
import type { Logger } from "../../shared/log.ts";
import type { PlayoutReport } from "./playout-metrics.ts";

/** Environment variable with the URL for the reports of a session process. Not a setting: the worker sets it for its
 *  child processes. */
export const PLAYOUT_URL_VARIABLE = "PLAYOUT_REPORT_URL";
/** A session that misses two reports counts as ended. */
const KEPT_MS = 30_000;
const POST_TIMEOUT_MS = 2_000;
const KEY_BYTES = 16;

const count = z.int().min(0);
const reportSchema = z.object({
  avatarSessionId: z.string().max(100),
  report: z.object({
    spanS: z.number(),
    framesPerSecond: z.number(),
    frames: count,
    lateFrames: count,
    skippedFrames: count,
    audioGaps: count,
    starvations: count,
    tickP50Ms: z.number(),
    tickP95Ms: z.number(),
  }),
});

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
  /** Path at which reports are accepted. It holds a key, because other users of the machine can reach the port. */
  readonly path = `/playout/${randomBytes(KEY_BYTES).toString("hex")}`;
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

  /** Adds a report, given its body. Returns false if the report is malformed. */
  take(text: string): boolean {
    const parsed = reportSchema.safeParse(parseJson(text));
    if (!parsed.success) return false;
    const { avatarSessionId, report } = parsed.data;
    for (const name of Object.keys(this.#counters) as CounterName[]) this.#counters[name].inc(report[name]);
    this.#latest.set(avatarSessionId, { atMs: performance.now(), report });
    return true;
  }

  #recent(): PlayoutReport[] {
    const oldestMs = performance.now() - KEPT_MS;
    for (const [id, { atMs }] of this.#latest) if (atMs < oldestMs) this.#latest.delete(id);
    return [...this.#latest.values()].map(({ report }) => report);
  }
}

/** Posts a session's report to its worker. Never throws: a lost report has no effect on viewers. */
export async function postPlayoutReport(
  url: string | undefined,
  avatarSessionId: string,
  report: PlayoutReport,
  logger: Logger,
): Promise<void> {
  if (!url) return;
  try {
    const body = JSON.stringify({ avatarSessionId, report });
    await fetch(url, { method: "POST", body, signal: AbortSignal.timeout(POST_TIMEOUT_MS) });
  } catch (error) {
    logger.debug({ err: error }, "playout report not delivered");
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The schema rejects null.
  }
}
