// What a worker counts and measures, for `/metrics`.
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { WorkerSessionEvent } from "../session/session-event.ts";
import type { Admission } from "./admission.ts";
import type { AvatarWorker } from "./avatar-worker.ts";
import { ConversationMetrics } from "./conversation-metrics.ts";
import { PlayoutCounters } from "./playout-counters.ts";

const PIECE_BUCKETS_S = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];
const START_BUCKETS_S = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

type Measured = Pick<AvatarWorker, "sessionCores" | "readyProcessCount"> & {
  admission: Pick<Admission, "sessionCount" | "capacity" | "gpuCapacity" | "lightCount" | "lightCapacity">;
};

/** Registers its metrics when it is created. */
export class WorkerMetrics {
  readonly #registry: Registry;
  /** Counts an event of a session. */
  readonly take: (event: WorkerSessionEvent) => void;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    const playout = new PlayoutCounters(registry);
    const conversations = new ConversationMetrics(registry);
    const crashes = new Counter({
      name: "avatar_worker_session_crashes_total",
      help: "Sessions that had not ended when their process died",
      registers,
    });
    const opened = new Counter({
      name: "avatar_worker_avatars_opened_total",
      help: "Avatars that sessions opened, by what renders them: the executor, or the slower runtime",
      labelNames: ["renderer"],
      registers,
    });
    for (const renderer of ["executor", "runtime"]) opened.inc({ renderer }, 0);
    const starts = new Histogram({
      name: "avatar_worker_start_seconds",
      help: "Time from an accepted job to a live session, by whether a process was ready",
      labelNames: ["process"],
      buckets: START_BUCKETS_S,
      registers,
    });
    for (const process of ["ready", "made"]) starts.zero({ process });
    const firstFrames = new Histogram({
      name: "avatar_worker_first_frame_seconds",
      help: "Time from an accepted job to the session's first video frame",
      buckets: START_BUCKETS_S,
      registers,
    });
    const pieces = new Histogram({
      name: "avatar_worker_voice_piece_seconds",
      help: "Time in which the neural voice made a piece of 0.5 to 2.5 seconds, with the wait for other sessions",
      buckets: PIECE_BUCKETS_S,
      registers,
    });
    this.take = (event) => {
      switch (event.type) {
        case "opened":
          return opened.inc({ renderer: event.renderedBy });
        case "playout":
          return playout.take(event.sessionId, event.report);
        case "live":
          return starts.observe({ process: event.wasReady ? "ready" : "made" }, event.startMs / 1000);
        case "first-frame":
          return firstFrames.observe(event.startMs / 1000);
        case "voice-piece":
          return pieces.observe(event.ms / 1000);
        case "crash":
          return crashes.inc();
        case "turn":
          return conversations.answered(event.times);
        case "conversation-fault":
          return conversations.failed(event.part);
        case "messages-dropped":
          return conversations.dropped(event.count);
      }
    };
  }

  /** Adds what is read from the worker whenever the metrics are read. Once. */
  measure(worker: Measured): void {
    this.#gauge(
      "avatar_worker_active_sessions",
      "Avatar sessions that this worker runs now, without those that viewers render",
      () => worker.admission.sessionCount,
    );
    this.#gauge(
      "avatar_worker_session_capacity",
      "Sessions that this worker can run now, with the active ones",
      () => worker.admission.capacity,
    );
    this.#gauge(
      "avatar_worker_light_sessions",
      "Sessions that began with viewers that render, with those of them that stream now",
      () => worker.admission.lightCount,
    );
    this.#gauge(
      "avatar_worker_light_session_capacity",
      "Sessions that viewers render that this worker can run now, with the active ones",
      () => worker.admission.lightCapacity,
    );
    this.#gauge(
      "avatar_worker_gpu_session_capacity",
      "Sessions that this worker can render on its GPU now, with the active ones; 0 without a GPU",
      () => worker.admission.gpuCapacity ?? 0,
    );
    this.#gauge(
      "avatar_worker_session_cpu_cores",
      "CPU time that another session would take, in cores",
      () => worker.sessionCores,
    );
    this.#gauge(
      "avatar_worker_ready_processes",
      "Processes that are ready for a session",
      () => worker.readyProcessCount,
    );
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
