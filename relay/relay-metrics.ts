// Metrics of a relay for an operator's monitoring, in the Prometheus text format.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { CallEndReason } from "./call-end.ts";

const DIRECTIONS = ["to_upstream", "to_client"] as const;
export type Direction = (typeof DIRECTIONS)[number];

const EVENT_BUCKETS_S = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const ADMIT_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Statuses with which calls are refused; counted from 0, so that their first increase is seen. */
const REFUSALS = [400, 401, 402, 403, 404, 429, 500, 502, 503, 504];

export class RelayMetrics {
  readonly registry = new Registry();
  readonly #running: Gauge<"model">;
  readonly #ended: Counter<"model" | "reason">;
  readonly #seconds: Counter<"model">;
  readonly #bytes: Counter<"direction">;
  readonly #refused: Counter<"status">;
  readonly #waits: Histogram<"direction">;
  readonly #admissions: Histogram;

  constructor() {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#running = new Gauge({
      name: "avatar_relay_calls",
      help: "Realtime calls that run now, by model",
      labelNames: ["model"],
      registers,
    });
    this.#ended = new Counter({
      name: "avatar_relay_calls_ended_total",
      help: "Realtime calls that have ended, by model and reason",
      labelNames: ["model", "reason"],
      registers,
    });
    this.#seconds = new Counter({
      name: "avatar_relay_seconds_total",
      help: "Length of all realtime calls that have ended, by model",
      labelNames: ["model"],
      registers,
    });
    this.#bytes = new Counter({
      name: "avatar_relay_event_bytes_total",
      help: "Size of the relayed events, by direction",
      labelNames: ["direction"],
      registers,
    });
    this.#refused = new Counter({
      name: "avatar_relay_refused_total",
      help: "Realtime calls that were refused, by the status of the answer",
      labelNames: ["status"],
      registers,
    });
    this.#waits = new Histogram({
      name: "avatar_relay_event_seconds",
      help: "Time from the arrival of an event until the next socket has taken it, by direction; calls over WebSocket",
      labelNames: ["direction"],
      buckets: EVENT_BUCKETS_S,
      registers,
    });
    this.#admissions = new Histogram({
      name: "avatar_relay_admit_seconds",
      help: "Time from a call's request until its server is connected, with the api's decision",
      buckets: ADMIT_BUCKETS_S,
      registers,
    });
    for (const direction of DIRECTIONS) {
      this.#bytes.inc({ direction }, 0);
      this.#waits.zero({ direction });
    }
    for (const status of REFUSALS) this.#refused.inc({ status: String(status) }, 0);
  }

  /** Measures the process of WebRTC calls. */
  measurePeers(peers: { readonly memoryBytes: number; readonly crashes: number }): void {
    const registers = [this.registry];
    new Gauge({
      name: "avatar_relay_webrtc_memory_bytes",
      help: "Resident memory of the process of WebRTC calls; 0 while there is none",
      registers,
      collect() {
        this.set(peers.memoryBytes);
      },
    });
    new Gauge({
      name: "avatar_relay_webrtc_crashes",
      help: "How often the process of WebRTC calls ended by itself, with its calls",
      registers,
      collect() {
        this.set(peers.crashes);
      },
    });
  }

  noteBegin(model: string): void {
    this.#running.inc({ model });
  }

  noteEnd(model: string, reason: CallEndReason, seconds: number): void {
    this.#running.dec({ model });
    this.#ended.inc({ model, reason });
    this.#seconds.inc({ model }, seconds);
  }

  noteSent(direction: Direction, waitMs: number): void {
    this.#waits.observe({ direction }, waitMs / 1000);
  }

  noteAdmitted(durationMs: number): void {
    this.#admissions.observe(durationMs / 1000);
  }

  noteBytes(direction: Direction, bytes: number): void {
    this.#bytes.inc({ direction }, bytes);
  }

  noteRefusal(status: number): void {
    this.#refused.inc({ status: String(status) });
  }
}
